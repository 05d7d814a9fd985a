package dataset

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"mapo/internal/names"
)

// Find returns where the data file a spec names is: at that path relative to the
// spec's folder, else by its base name in $MAPO_DATA, else in the user's cache
// folder "mapo", where fetched data is put. The error lists all three.
func Find(file, folder string) (string, error) {
	return find(file, folder, func(info os.FileInfo) bool { return !info.IsDir() })
}

// FindFolder returns where a folder of data files is, as [Find] does for a file.
func FindFolder(name, folder string) (string, error) {
	return find(name, folder, os.FileInfo.IsDir)
}

// CacheFolder returns where fetched data is put: "mapo" in the user's cache folder.
func CacheFolder() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "mapo"), nil
}

// find implements [Find] and [FindFolder]: is reports whether a path is of the
// kind asked for.
func find(file, folder string, is func(os.FileInfo) bool) (string, error) {
	if file == "" {
		return "", fmt.Errorf("the file's name is empty")
	}
	first := file
	if !filepath.IsAbs(file) {
		first = filepath.Join(folder, file)
	}
	// Data folders are flat, and a path such as ../data/x.csv must not lead out.
	base, places, tried := filepath.Base(file), []string{first}, []string{first}
	add := func(dir, what string) {
		places = append(places, filepath.Join(dir, base))
		tried = append(tried, filepath.Join(dir, base)+" ("+what+")")
	}
	if dir := os.Getenv("MAPO_DATA"); dir != "" {
		add(dir, "$MAPO_DATA")
	} else {
		tried = append(tried, "$MAPO_DATA (not set)")
	}
	if dir, err := CacheFolder(); err == nil {
		add(dir, "cache")
	} else {
		tried = append(tried, "the user's cache folder (none: "+err.Error()+")")
	}
	for _, path := range places {
		if info, err := os.Stat(path); err == nil && is(info) {
			return path, nil
		}
	}
	if info, err := os.Stat(first); err == nil {
		what := "a file, and a folder is asked for"
		if info.IsDir() {
			what = "a folder: name a file in it"
		}
		return "", fmt.Errorf("%q is %s", file, what)
	}
	if near, ok := names.NearFile(first); ok {
		return "", fmt.Errorf("cannot find %q; did you mean %q? looked for %s", file, near, strings.Join(tried, ", "))
	}
	return "", fmt.Errorf("cannot find %q; looked for %s", file, strings.Join(tried, ", "))
}
