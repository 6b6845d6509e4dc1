package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"syscall"
)

// benchTemplate executes one template many times and prints the processor time of one execution in nanoseconds.
func benchTemplate(arguments []string) {
	functions := "sprig"
	if len(arguments) > 3 {
		functions = arguments[3]
	}
	count, err := strconv.Atoi(arguments[2])
	exitOn(err)
	data, err := decodeValue([]byte(arguments[1]), "float64")
	exitOn(err)
	root, err := parseTemplates(templateRequest{
		Templates: namedTexts{{"bench", arguments[0]}},
		Functions: functions,
	})
	exitOn(err)
	template := root.Lookup("bench")
	begin := processorTime()
	for range count {
		exitOn(template.Execute(io.Discard, data))
	}
	fmt.Println((processorTime() - begin) / int64(count))
}

func processorTime() int64 {
	var usage syscall.Rusage
	exitOn(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return usage.Utime.Nano() + usage.Stime.Nano()
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
