package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// defaultDB is the file of sessions where the command line names none.
const defaultDB = "mapo-sessions.db"

// sessionsFile returns the path of [defaultDB]: in the current folder where it stands there, else in the user's data
// folder, which may not exist.
func sessionsFile() (string, error) {
	if _, err := os.Stat(defaultDB); err == nil {
		return defaultDB, nil
	}
	folder, err := dataFolder()
	if err != nil {
		return "", fmt.Errorf("there is no folder for %s: %w; name a file by --db", defaultDB, err)
	}
	return filepath.Join(folder, defaultDB), nil
}

// dataFolder returns the folder "mapo" where programs keep a user's data: on Windows in %LocalAppData%, on macOS in
// ~/Library/Application Support, elsewhere in $XDG_DATA_HOME or ~/.local/share.
func dataFolder() (string, error) {
	if runtime.GOOS == "windows" {
		if folder := os.Getenv("LocalAppData"); folder != "" {
			return filepath.Join(folder, "mapo"), nil
		}
		return "", errors.New("%LocalAppData% is not set")
	}
	inHome := filepath.Join(".local", "share", "mapo")
	if runtime.GOOS == "darwin" {
		inHome = filepath.Join("Library", "Application Support", "mapo")
	} else if folder := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(folder) { // others are ignored, as the standard says
		return filepath.Join(folder, "mapo"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, inHome), nil
}

// keptDB returns the database that a command line names by db: of the name [defaultDB] alone the one that mapo serve keeps.
func keptDB(db string) string {
	if db != defaultDB {
		return db
	}
	if path, err := sessionsFile(); err == nil {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return db
}
