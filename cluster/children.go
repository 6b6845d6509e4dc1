package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"tenon.dev/cluster/instance"
)

// children are the components, which run as processes of this same binary, and the first process of the node. They die
// with the supervisor, however it dies: the kernel kills them when the thread that started them ends, so all starts come
// from the locked main thread.
type children struct {
	dir     string
	owner   string // the instance's name
	running []*child
	ended   chan *child // buffered for every child, so that no goroutine blocks
}

type child struct {
	name string
	cmd  *exec.Cmd
	done chan struct{}
	err  error
}

func newChildren(dir, owner string) *children {
	return &children{dir: dir, owner: owner, ended: make(chan *child, 16)}
}

func (c *children) start(name string, args []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	_, err = c.launch(self, name, args, &syscall.SysProcAttr{}, nil)
	return err
}

// nodeChild is the name of the node's first process among the children.
const nodeChild = "node"

// startNode starts the first process of a node in namespaces of its own; the writer takes its settings.
func (c *children) startNode(program string) (*child, io.WriteCloser, error) {
	input, settings, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer input.Close()
	const namespaces = syscall.CLONE_NEWNET | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWUTS | syscall.CLONE_NEWIPC
	started, err := c.launch(program, nodeChild, nil, &syscall.SysProcAttr{Cloneflags: namespaces}, input)
	if err != nil {
		settings.Close()
		return nil, nil, err
	}
	return started, settings, nil
}

func (c *children) launch(program, name string, args []string, attributes *syscall.SysProcAttr, input *os.File) (*child, error) {
	logFile, err := instance.OpenLog(c.dir, name)
	if err != nil {
		return nil, err
	}
	defer logFile.Close()
	cmd := exec.Command(program)
	// `ps` shows the instance; main selects the component by the last part.
	cmd.Args = append([]string{fmt.Sprintf("tenon-%s/%s", c.owner, name)}, args...)
	cmd.Dir = c.dir
	if input != nil {
		cmd.Stdin = input
	}
	cmd.Stdout, cmd.Stderr = logFile, logFile
	// In a process group of its own: Ctrl-C in a terminal reaches the supervisor only, which stops the components in order.
	attributes.Pdeathsig, attributes.Setpgid = syscall.SIGKILL, true
	cmd.SysProcAttr = attributes
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	started := &child{name: name, cmd: cmd, done: make(chan struct{})}
	c.running = append(c.running, started)
	go func() {
		started.err = cmd.Wait()
		close(started.done)
		c.ended <- started
	}()
	return started, nil
}

// stop ends the children in the reverse of the order they were started in, the API server last.
func (c *children) stop() {
	for i := len(c.running) - 1; i >= 0; i-- {
		c.running[i].stop(10 * time.Second)
	}
}

func (c *child) stop(grace time.Duration) {
	_ = c.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-c.done:
	case <-time.After(grace):
		_ = c.cmd.Process.Kill()
		<-c.done
	}
}

// fault describes why a component ended, with the error from its log if there is one.
func (c *child) fault() error {
	what := fmt.Sprintf("%s ended: %v", c.name, c.err)
	if reason := instance.LastError(c.cmd.Dir, c.name); reason != "" {
		what += ": " + reason
	}
	return instance.Fault{What: what, Next: "see " + instance.LogPath(c.cmd.Dir, c.name)}
}

// pidOf is 0 when there is no such child.
func (c *children) pidOf(name string) int {
	for _, child := range c.running {
		if child.name == name {
			return child.cmd.Process.Pid
		}
	}
	return 0
}
