//go:build tools

// Keeps crane, which benchmarks run beside Tenon, in go.mod.
package main

import _ "github.com/google/go-containerregistry/cmd/crane/cmd"
