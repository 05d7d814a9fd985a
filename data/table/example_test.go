package table_test

import (
	"fmt"
	"log"
	"strings"

	"mapo/data/table"
)

// Read a table of shares of yes.
func ExampleParse() {
	t, err := table.Parse(strings.NewReader("object,Does it fly?\npenguin,0.02\nparrot,47/50\n"), "pets.csv", table.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v %v %.2f\n", t.Objects, t.Queries, t.P)
	_, err = table.Parse(strings.NewReader("object,Does it fly?\npenguin,1.5\nparrot,1\n"), "pets.csv", table.Options{})
	fmt.Println(err)
	// Output:
	// [penguin parrot] [Does it fly?] [0.02 0.93]
	// pets.csv:2: column 2 ("Does it fly?") is 1.5; a share is from 0 to 1. Correct a slip. Run: mapo data import pets.csv --percent -o pets-table.csv if all numbers are percent (1.5 is 0.015), or mapo data import pets.csv --categories -o pets-table.csv if the numbers are values or measurements
}
