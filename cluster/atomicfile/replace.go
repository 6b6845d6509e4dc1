// Package atomicfile writes files that a reader or a crash never sees half of.
package atomicfile

import "os"

// Unfinished ends the name of a file that is still being written. A crash may leave one; the next Replace takes it over.
const Unfinished = ".new"

// Replace writes a file for its owner only, in place of one that may be there.
func Replace(path string, content []byte) error {
	if err := writeThrough(path+Unfinished, content); err != nil {
		return err
	}
	return os.Rename(path+Unfinished, path)
}

// writeThrough returns when the content is on the disk: a rename may get there before what was merely written, and a
// power failure in between would leave an empty file under the final name.
func writeThrough(path string, content []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := file.Write(content); err != nil {
		return err
	}
	return file.Sync()
}
