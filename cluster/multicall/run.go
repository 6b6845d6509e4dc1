// Package multicall is for programs that are several commands in one binary.
package multicall

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Run runs the command that the binary is called by (the last part of argv[0]), or else the one that the first argument
// names, and exits with its exit code.
func Run(program string, commands map[string]func() int) {
	name := filepath.Base(os.Args[0])
	if _, isCommand := commands[name]; !isCommand {
		if len(os.Args) < 2 {
			usage(program, commands)
		}
		name = os.Args[1]
		os.Args = os.Args[1:]
	}
	run, isCommand := commands[name]
	if !isCommand {
		usage(program, commands)
	}
	os.Exit(run())
}

func usage(program string, commands map[string]func() int) {
	names := strings.Join(slices.Sorted(maps.Keys(commands)), " ")
	fmt.Fprintf(os.Stderr, "usage: %s COMMAND [flags]\ncommands: %s\n", program, names)
	os.Exit(2)
}
