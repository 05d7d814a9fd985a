package database

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
)

// DefaultFile is the file of sessions where the command line names none.
const DefaultFile = "mapo-sessions.db"

// DefaultPath returns the path of [DefaultFile]: in the current folder where it stands there, else in the user's data
// folder, which may not exist.
func DefaultPath() (string, error) {
	if _, err := os.Stat(DefaultFile); err == nil {
		return DefaultFile, nil
	}
	folder, err := dataFolder()
	if err != nil {
		return "", fmt.Errorf("there is no folder for %s: %w; name a file by --db", DefaultFile, err)
	}
	return filepath.Join(folder, DefaultFile), nil
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

// Kept returns the database that a command line names by db: of the name [DefaultFile] alone the one that mapo serve keeps.
func Kept(db string) string {
	if db != DefaultFile {
		return db
	}
	if path, err := DefaultPath(); err == nil {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return db
}

// HasPassword reports whether the address of a PostgreSQL server holds a password: before the host,
// or among the settings after the question mark.
func HasPassword(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false // it is refused where it is used
	}
	_, has := u.User.Password()
	settings := u.Query()
	return has || settings.Has("password") || settings.Has("sslpassword")
}
