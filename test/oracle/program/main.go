// Command oracle answers what Go itself makes of a template, a chart or a YAML text. `serve` reads one JSON request a
// line and answers each with one JSON line, in order; `bench-template` measures Go for the benchmarks.
package main

import (
	"fmt"
	"os"
	_ "time/tzdata"
)

func main() {
	switch {
	case len(os.Args) == 2 && os.Args[1] == "serve":
		serve(os.Stdin, os.Stdout)
	case len(os.Args) >= 5 && os.Args[1] == "bench-template":
		benchTemplate(os.Args[2:])
	default:
		fmt.Fprintln(os.Stderr, "usage: oracle serve | bench-template TEXT DATA COUNT [FUNCTIONS]")
		os.Exit(2)
	}
}
