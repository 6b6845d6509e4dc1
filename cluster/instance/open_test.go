package instance

import (
	"maps"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const kubernetes = "v1.37.1"

func TestOpenTakesANewDirectory(t *testing.T) {
	for _, test := range []struct {
		reason string
		files  map[string]string
	}{
		{reason: "empty", files: nil},
		{reason: "the lock and the logs are made before", files: map[string]string{"lock": "", "log/etcd.log": "text"}},
		{reason: "killed in the middle of its very first Save", files: map[string]string{"instance.json.new": `{"format":`}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			dir := t.TempDir()
			writeFiles(t, dir, test.files)
			before := readTree(t, dir)
			in, err := Open(dir, "mine", kubernetes)
			if err != nil {
				t.Fatal(err)
			}
			if want := (Instance{Format: dataFormat, Name: "mine", Kubernetes: kubernetes, isNew: true}); *in != want {
				t.Errorf("got %+v, want %+v", *in, want)
			}
			if !maps.Equal(before, readTree(t, dir)) {
				t.Error("Open wrote to the directory")
			}
		})
	}
}

func TestOpenReadsWhatWasSaved(t *testing.T) {
	dir := t.TempDir()
	saved := Instance{Format: dataFormat, Name: "mine", Kubernetes: kubernetes, Port: 23456, FakeNodes: 3}
	if err := saved.Save(dir); err != nil {
		t.Fatal(err)
	}
	writeFiles(t, dir, map[string]string{"etcd/member/wal": "data", "pki/ca.crt": "data"})
	if in, err := Open(dir, "mine", kubernetes); err != nil || *in != saved {
		t.Errorf("got %+v, %v; want %+v", in, err, saved)
	}
}

func TestOpenUpgradesKubernetesByOneMinorVersionOnly(t *testing.T) {
	for _, test := range []struct {
		reason   string
		from, to string
		refusal  string // empty: accepted
	}{
		{reason: "the same", from: "v1.37.1", to: "v1.37.1"},
		{reason: "a patch up", from: "v1.37.1", to: "v1.37.9"},
		{reason: "a patch down is the same minor version", from: "v1.37.1", to: "v1.37.0"},
		{reason: "one minor version up", from: "v1.37.1", to: "v1.38.0"},
		{reason: "two up: the storage version of an API may be gone", from: "v1.37.1", to: "v1.39.0", refusal: "more than one minor version up"},
		{reason: "one down: the data may hold versions unknown to it", from: "v1.37.1", to: "v1.36.9", refusal: "going down"},
		{reason: "another major version, up", from: "v1.37.1", to: "v2.37.1", refusal: "another major version"},
		{reason: "another major version, down", from: "v2.0.0", to: "v1.37.1", refusal: "another major version"},
		{reason: "no version saved", from: "", to: "v1.37.1", refusal: "could not parse"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			dir := t.TempDir()
			saved := Instance{Format: dataFormat, Name: "mine", Kubernetes: test.from, Port: 23456}
			if err := saved.Save(dir); err != nil {
				t.Fatal(err)
			}
			if test.refusal != "" {
				wantRefusal(t, dir, test.to, test.refusal, "`tenon cluster reset --name mine`")
				return
			}
			in, err := Open(dir, "mine", test.to)
			if err != nil {
				t.Fatal(err)
			}
			if in.Kubernetes != test.to || in.Port != saved.Port {
				t.Errorf("got %+v", *in)
			}
		})
	}
}

func TestOpenRefusesForeignOrDamagedDirectoriesAndChangesNothing(t *testing.T) {
	const reset = "`tenon cluster reset --name mine`"
	for _, test := range []struct {
		reason string
		files  map[string]string
		what   string
		next   string
	}{
		{
			reason: "an empty file, as a full disk leaves it",
			files:  map[string]string{"instance.json": "", "etcd/wal": "data"},
			what:   "instance.json is damaged", next: reset,
		},
		{
			reason: "half a file",
			files:  map[string]string{"instance.json": `{"format": 1, "na`, "etcd/wal": "data"},
			what:   "instance.json is damaged", next: reset,
		},
		{
			reason: "JSON of another shape",
			files:  map[string]string{"instance.json": `{"format": "one"}`},
			what:   "instance.json is damaged", next: reset,
		},
		{
			reason: "made by a later Tenon",
			files:  map[string]string{"instance.json": `{"format": 2, "name": "mine"}`, "etcd/wal": "data"},
			what:   "has format 2, and this Tenon reads format 1", next: reset,
		},
		{
			reason: "made by something else",
			files:  map[string]string{"instance.json": `{}`},
			what:   "has format 0", next: reset,
		},
		{
			reason: "of another instance",
			files:  map[string]string{"instance.json": `{"format": 1, "name": "theirs", "kubernetes": "v1.37.1"}`},
			what:   `belongs to instance "theirs", not "mine"`, next: "`tenon cluster start --name theirs`",
		},
		{
			reason: "of another instance and an old version: whose it is comes before how to delete it",
			files:  map[string]string{"instance.json": `{"format": 1, "name": "theirs", "kubernetes": "v1.20.0"}`},
			what:   `belongs to instance "theirs", not "mine"`, next: "`tenon cluster start --name theirs`",
		},
		{
			reason: "files of another program",
			files:  map[string]string{"thesis.tex": "years of work", "log/etcd.log": ""},
			what:   "holds thesis.tex but no instance.json", next: "`tenon cluster start --name NAME`",
		},
		{
			reason: "a data directory that lost its memory is not taken for a new one",
			files:  map[string]string{"lock": "", "etcd/wal": "data"},
			what:   "holds etcd but no instance.json", next: "`tenon cluster start --name NAME`",
		},
	} {
		t.Run(test.reason, func(t *testing.T) {
			dir := t.TempDir()
			writeFiles(t, dir, test.files)
			wantRefusal(t, dir, kubernetes, test.what, test.next)
		})
	}
}

var realCommand = regexp.MustCompile("`tenon cluster (start|stop|status|kubeconfig|reset)[ `]")

func wantRefusal(t *testing.T, dir, kubernetes, what, next string) {
	t.Helper()
	before := readTree(t, dir)
	in, err := Open(dir, "mine", kubernetes)
	fault := wantFault(t, err)
	if in != nil {
		t.Errorf("gave an instance as well: %+v", *in)
	}
	if !strings.Contains(fault.What, what) || !strings.Contains(fault.What, filepath.Clean(dir)) {
		t.Errorf("What = %q, want %q and the directory", fault.What, what)
	}
	if !strings.Contains(fault.Next, next) || !realCommand.MatchString(fault.Next) {
		t.Errorf("Next = %q, want %q", fault.Next, next)
	}
	if !maps.Equal(before, readTree(t, dir)) {
		t.Error("the refusal changed the directory")
	}
}
