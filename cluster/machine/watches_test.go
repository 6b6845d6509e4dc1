package machine

import (
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"
	"tenon.dev/cluster/instance"
)

func TestTooFewInotifyInstancesAreReportedBeforeTheStart(t *testing.T) {
	if err := requireWatches(0); err != nil {
		t.Error(err)
	}
	// A process that may open no more files hears the same as a user who may watch no more, and takes nothing from others.
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Setrlimit(unix.RLIMIT_NOFILE, &limit) }()
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 16, Max: limit.Max}); err != nil {
		t.Fatal(err)
	}
	if fault, isFault := errors.AsType[instance.Fault](requireWatches(32)); !isFault || fault.Next == "" {
		t.Errorf("got %v", fault)
	}
	if file, err := os.Open(os.DevNull); err != nil {
		t.Errorf("they are not given back: %v", err)
	} else {
		file.Close()
	}
}
