package dataset

import (
	"io"

	"mapo/game"
)

// parsed returns what of returns of the lines of r; name stands for the file in messages.
func parsed[T any](r io.Reader, name string, of func(l *lines) (T, error)) (out T, err error) {
	l, err := newLines(r, name)
	if err != nil {
		return out, err
	}
	defer l.Close()
	return of(l)
}

func parseInstances(r io.Reader, name string, p *game.Problem) ([][]float64, error) {
	return parsed(r, name, func(l *lines) ([][]float64, error) { return readInstances(l, p) })
}

func parsePredictions(r io.Reader, name string, classes []string) (*Predictions, error) {
	return parsed(r, name, func(l *lines) (*Predictions, error) { return readPredictions(l, classes) })
}

func parseItemLabels(r io.Reader, name string) (*ItemLabels, error) {
	return parsed(r, name, readItemLabels)
}

func parseVectors(r io.Reader, name string) (*VectorSet, error) { return parsed(r, name, readVectors) }
