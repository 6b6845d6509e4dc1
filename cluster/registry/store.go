package registry

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Names as the specification has them; nothing else becomes a part of a path.
var (
	repositoryName = regexp.MustCompile(`^[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*(/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)*$`)
	tagName        = regexp.MustCompile(`^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$`)
	digestName     = regexp.MustCompile(`^sha256:[a-f0-9]{64}$`)
	uploadName     = regexp.MustCompile(`^[A-Z2-7]{26,64}$`)
)

// maxRepositoryName is what fits into a file's name.
const maxRepositoryName = 255

var (
	errDigest = errors.New("the content does not match the digest")
	errBusy   = errors.New("another request is writing to this upload")
)

// store is the directory of images. A file under its final name is complete: it was written elsewhere and renamed. A crash
// leaves incomplete uploads only, which the next start deletes.
//
//	uploads/ID                          what is being written
//	repositories/NAME/blobs/HEX         each repository has its own, so that a deletion affects no other
//	repositories/NAME/manifests/HEX
//	repositories/NAME/tags/TAG          holds a digest
type store struct{ dir string }

// The kinds of things in a repository.
const (
	blobs     = "blobs"
	manifests = "manifests"
	tags      = "tags"
)

func openStore(dir string) (store, error) {
	s := store{dir}
	if err := os.RemoveAll(s.upload("")); err != nil {
		return s, err
	}
	return s, os.MkdirAll(s.upload(""), 0o700)
}

func (s store) upload(id string) string { return filepath.Join(s.dir, "uploads", id) }

// path is the file of a blob, a manifest or a tag. A slash in the repository's name becomes a plus, which no name has.
func (s store) path(repository, kind, name string) string {
	return filepath.Join(s.dir, "repositories", strings.ReplaceAll(repository, "/", "+"), kind, strings.TrimPrefix(name, "sha256:"))
}

func (s store) begin() (string, error) {
	id := rand.Text()
	file, err := os.OpenFile(s.upload(id), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	return id, file.Close()
}

// open gives an upload to one writer at a time.
func (s store) open(id string) (*os.File, error) {
	file, err := os.OpenFile(s.upload(id), os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		file.Close()
		return nil, errBusy
	}
	return file, nil
}

// finish moves an upload to its path, if its content has the digest.
func (s store) finish(upload *os.File, path, digest string) error {
	if _, err := upload.Seek(0, io.SeekStart); err != nil {
		return err
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, upload); err != nil {
		return err
	}
	if "sha256:"+hex.EncodeToString(hash.Sum(nil)) != digest {
		return errDigest
	}
	return place(upload, path)
}

// put writes a small file.
func (s store) put(path string, content []byte) error {
	id, err := s.begin()
	if err != nil {
		return err
	}
	file, err := s.open(id)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err = file.Write(content); err == nil {
		err = place(file, path)
	}
	if err != nil {
		_ = os.Remove(file.Name())
	}
	return err
}

// place syncs a file to disk and then renames it: otherwise a rename could reach the disk before the content.
func place(file *os.File, path string) error {
	if err := file.Sync(); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// link lets a repository share a blob of another.
func (s store) link(from, to, digest string) error {
	source, path := s.path(from, blobs, digest), s.path(to, blobs, digest)
	if _, err := os.Stat(source); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	err := os.Link(source, path)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// resolve gives the digest of a manifest that is named by tag or digest.
func (s store) resolve(repository, reference string) (string, error) {
	if digestName.MatchString(reference) {
		return reference, nil
	}
	digest, err := os.ReadFile(s.path(repository, tags, reference))
	return string(digest), err
}

// tags lists a repository's tags in order. A repository without tags may still have manifests.
func (s store) tags(repository string) ([]string, error) {
	if _, err := os.Stat(s.path(repository, "", "")); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(s.path(repository, tags, ""))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	names := []string{}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	slices.Sort(names)
	return names, nil
}

// removeManifest also removes the tags that lead to it.
func (s store) removeManifest(repository, digest string) error {
	if err := os.Remove(s.path(repository, manifests, digest)); err != nil {
		return err
	}
	names, err := s.tags(repository)
	if err != nil {
		return err
	}
	for _, name := range names {
		if target, err := s.resolve(repository, name); err == nil && target == digest {
			if err := os.Remove(s.path(repository, tags, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}
