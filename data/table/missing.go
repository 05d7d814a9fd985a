package table

import "strings"

// IsMissing reports whether a cell has no value: it is empty, or a word such as NA or NaN that programs write for that
// and no person does for anything else.
func IsMissing(cell string) bool { return missingWords[strings.ToLower(cell)] }
