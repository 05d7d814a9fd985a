// Package xls reads the numbers of an old Excel workbook (.xls, Excel 95 to 2003), the form in
// which the Jester ratings are published: the first sheet's numbers, and nothing else. The layouts
// are Microsoft's [MS-CFB] (the container) and [MS-XLS] (the records). A workbook comes from
// outside: every offset is checked, every chain bounded, and a fault is an error, never a panic.
//
//   - In: an old workbook from outside.
//   - Out: the first sheet's numbers by row and column, or an error that says where.
//   - It never: panics, allocates what a damaged file asks for, or reads texts, dates and formulas.
package xls
