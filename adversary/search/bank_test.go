package search

import (
	"encoding/json"
	"reflect"
	"testing"

	"mapo/record"
)

func TestBank(t *testing.T) {
	var none *Bank
	if none.Instances() != nil || none.Has([]float64{1}) {
		t.Error("the nil bank is not empty")
	}
	var b Bank
	theta := []float64{.1, .2}
	b.Add(record.Worst{Theta: theta}, record.Worst{Theta: []float64{.1, .2 + sameInstance/2}}, record.Worst{Theta: []float64{.3, .2}})
	theta[0] = 9
	want := [][]float64{{.1, .2}, {.3, .2}}
	if !reflect.DeepEqual(b.Instances(), want) {
		t.Errorf("the bank holds %v, want %v: copies, near twins once", b.Instances(), want)
	}
	data, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	var back Bank
	if err := json.Unmarshal(data, &back); err != nil || !reflect.DeepEqual(back, b) {
		t.Errorf("the bank came back as %v (%v)", back, err)
	}
}
