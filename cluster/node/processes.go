package node

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"time"

	"golang.org/x/sys/unix"
	"tenon.dev/cluster/instance"
)

// processes are the children of the first process of the namespaces. As such it also inherits every orphan, and has to
// reap it.
type processes struct {
	config Config
	lock   sync.Mutex
	known  map[int]*process
	ended  chan *process // programs started by keep
	empty  chan struct{} // closed when this process is the only one left
}

type process struct {
	name   string
	pid    int
	done   chan struct{}
	status unix.WaitStatus
}

func newProcesses(config Config) *processes {
	return &processes{config: config, known: map[int]*process{}, ended: make(chan *process, 16), empty: make(chan struct{})}
}

// start runs a program; the path /proc/self/exe is this one.
func (p *processes) start(name, path string, args []string) (*process, error) {
	log, err := instance.OpenLog(p.config.Dir, name)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd := exec.Command(path)
	cmd.Args = append([]string{fmt.Sprintf("tenon-%s/%s", p.config.Owner, name)}, args...)
	cmd.Env = environment()
	cmd.Dir = "/"
	cmd.Stdout, cmd.Stderr = log, log
	p.lock.Lock()
	defer p.lock.Unlock()
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	started := &process{name: name, pid: cmd.Process.Pid, done: make(chan struct{})}
	p.known[started.pid] = started
	return started, nil
}

// keep starts a program; when it ends, the node ends.
func (p *processes) keep(name, path string, args []string) error {
	started, err := p.start(name, path, args)
	if err != nil {
		return err
	}
	go func() {
		<-started.done
		p.ended <- started
	}()
	return nil
}

// reap never calls Wait of a single child: that would race with the waiting for all.
func (p *processes) reap() {
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, 0, nil)
		if err == unix.EINTR {
			continue
		}
		if err != nil { // no child is left
			close(p.empty)
			return
		}
		p.lock.Lock()
		if child, isKnown := p.known[pid]; isKnown {
			delete(p.known, pid)
			child.status = status
			close(child.done)
		}
		p.lock.Unlock()
	}
}

// stop sends SIGTERM to all processes of the node, like a machine that shuts down, and gives them 3 s.
func (p *processes) stop() {
	_ = unix.Kill(-1, unix.SIGTERM)
	select {
	case <-p.empty:
	case <-time.After(3 * time.Second): // the kernel kills the rest as this process ends
	}
}

func (c *process) fault(dir string) error {
	what := fmt.Sprintf("%s ended with exit code %d", c.name, c.status.ExitStatus())
	if c.status.Signaled() {
		what = fmt.Sprintf("%s ended by signal %s", c.name, c.status.Signal())
	}
	if reason := instance.LastError(dir, c.name); reason != "" {
		what += ": " + reason
	}
	return fmt.Errorf("%s; see %s", what, instance.LogPath(dir, c.name))
}

// searchPath has the directories of administrators' programs, which a user who became root may lack. A containerd of our own
// comes before that of the machine, and finds its shim there too.
func searchPath(config Config) string {
	if config.Containerd == "" {
		return pathOfMachine
	}
	return config.Containerd + ":" + pathOfMachine
}

const pathOfMachine = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// environment leaves out what the user has set for other programs.
func environment() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), // see Run
		"TMPDIR=/run",
		"HOME=" + os.Getenv("HOME"),
	}
}
