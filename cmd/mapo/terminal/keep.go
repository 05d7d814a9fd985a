package terminal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"mapo/data/learn"
	"mapo/internal/disk"
	"mapo/serve/wire"
)

// KeepGames opens the file that games are added to, "" for none, and returns what adds one whose truth was told.
func KeepGames(path string) (save func(*Game) error, err error) {
	if path == "" {
		return func(*Game) error { return nil }, nil
	}
	f, err := disk.Grow(path)
	if err != nil {
		return nil, fmt.Errorf("--games: %w", err)
	}
	return func(t *Game) error {
		played, err := t.Learned()
		answered := slices.ContainsFunc(played.History, func(t learn.Told) bool { return t.Answer != nil })
		if err != nil || played.Truth == "" || !answered { // "don't know" alone says nothing of the truth
			return errors.Join(err, f.Close())
		}
		played.Played = time.Now().UTC().Format(time.RFC3339)
		line, err := json.Marshal(played)
		if err == nil {
			err = f.Add(append(line, '\n'))
		}
		if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
			return fmt.Errorf("--games: %s: the game of %q is not kept: %w", path, played.Truth, err)
		}
		return nil
	}, nil
}

// KeepLabels opens the file that the labels of a game are added to, "" for none, and returns what adds them.
func KeepLabels(path string) (write func(*Game) error, err error) {
	if path == "" {
		return func(*Game) error { return nil }, nil
	}
	f, err := disk.Grow(path)
	if err != nil {
		return nil, fmt.Errorf("--labels: %w", err)
	}
	if head := wire.LabelsHeader(); !f.IsEmpty() && !f.Begins(head) {
		return nil, errors.Join(fmt.Errorf("--labels: the first line of %s is not %s: name a file that play wrote, or one that does not exist", path, head), f.Close())
	}
	return func(t *Game) error {
		var text bytes.Buffer
		err := wire.WriteLabels(&text, t.Labels(), f.IsEmpty())
		if err == nil {
			err = f.Add(text.Bytes())
		}
		if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
			return fmt.Errorf("--labels: %s: the labels are not kept: %w", path, err)
		}
		return nil
	}, nil
}
