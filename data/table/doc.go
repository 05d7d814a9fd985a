// Package table reads tables of shares from the files that people have, and writes them in one
// form.
//
// A table has objects as rows, questions as columns, and in each cell the share of "yes". [Read]
// reads files in many forms and says what it assumed. Where two readings fit, it refuses the file
// and names the import command of each. [Table.Write] writes the form that needs no assumption.
//
// Files come from outside, so reading is bounded (see [MaxBytes]), and every fault is one line:
// file:line: column n ("name") is v; the rule. The remedy.
//
//   - In: files in the forms that spreadsheets and statistics programs write.
//   - Out: a [Table], or one line that says what is wrong and what to do; the form that needs no
//     assumption.
//   - It never: guesses between two readings that fit.
package table
