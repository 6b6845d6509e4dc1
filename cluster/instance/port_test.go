package instance

import (
	"fmt"
	"maps"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

const another = "tenon cluster start --port 0"

func TestChoosePortPicksAFreeOneWithoutAPreferredOne(t *testing.T) {
	for range 20 {
		port, err := ChoosePort(0, 0, another)
		if err != nil {
			t.Fatal(err)
		}
		if port < firstPort || port > lastPort {
			t.Fatalf("picked %d", port)
		}
		listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			t.Fatal(err)
		}
		listener.Close()
	}
}

func TestChoosePortGivesThePreferredOneWhenItIsFree(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	preferred := listener.Addr().(*net.TCPAddr).Port
	listener.Close()
	if port, err := ChoosePort(preferred, 0, another); err != nil || port != preferred {
		t.Errorf("got %d, %v; want %d", port, err, preferred)
	}
}

func TestChoosePortGivesAPortOnlyOnce(t *testing.T) {
	port, err := ChoosePort(0, 0, another)
	if err != nil {
		t.Fatal(err)
	}
	_, err = ChoosePort(port, 0, another)
	want := fmt.Sprintf("port %d is in use by an instance that is starting", port)
	if fault := wantFault(t, err); !strings.HasPrefix(fault.What, want) {
		t.Errorf("got %+v, want %q", fault, want)
	}
}

func TestChoosePortNamesTheProcessThatHoldsThePreferredOne(t *testing.T) {
	comm, err := os.ReadFile("/proc/self/comm")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ reason, address string }{
		{"on loopback", "127.0.0.1:0"},
		{"on every IPv4 address", "0.0.0.0:0"},
		{"on every address of both families: in the table of IPv6 only", ":0"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			listener, err := net.Listen("tcp", test.address)
			if err != nil {
				t.Fatal(err)
			}
			defer listener.Close()
			taken := listener.Addr().(*net.TCPAddr).Port
			_, err = ChoosePort(taken, 0, another)
			want := fmt.Sprintf("port %d is in use by pid %d (%s)", taken, os.Getpid(), strings.TrimSpace(string(comm)))
			if fault := wantFault(t, err); fault.What != want || !strings.Contains(fault.Next, "`"+another+"`") {
				t.Errorf("got %+v, want %q", fault, want)
			}
		})
	}
}

func TestChoosePortWaitsForAPortThatBecomesFree(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	taken := listener.Addr().(*net.TCPAddr).Port
	time.AfterFunc(100*time.Millisecond, func() { listener.Close() })
	if port, err := ChoosePort(taken, time.Minute, another); err != nil || port != taken {
		t.Errorf("got %d, %v; want %d", port, err, taken)
	}
}

func TestChoosePortNamesNoProcessForAnInvalidPort(t *testing.T) {
	for _, preferred := range []int{-7, 65536} {
		_, err := ChoosePort(preferred, 0, another)
		if fault := wantFault(t, err); !strings.Contains(fault.What, "cannot be used") || !strings.Contains(fault.What, "invalid port") {
			t.Errorf("%d: got %+v", preferred, fault)
		}
	}
}

// Port 8080 is 1F90. State 0A is listening, 01 established, 06 waiting for its time to be over.
const (
	tcpTable = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1001 1 0000000000000000 100 0 0 10 0
   1: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1002 1 0000000000000000 100 0 0 10 0
   2: 0100007F:1F90 0100007F:D431 01 00000000:00000000 00:00000000 00000000     0        0 1003 1 0000000000000000 20 4 30 10 -1
   3: 0100007F:D431 0100007F:1F90 01 00000000:00000000 00:00000000 00000000     0        0 1004 1 0000000000000000 20 4 30 10 -1
   4: 0100007F:1F90 0100007F:D432 06 00000000:00000000 03:00000F2C 00000000     0        0 0 3 0000000000000000
`
	tcp6Table = `  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000000000000000000000000000:1F90 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 2001 1 0000000000000000 100 0 0 10 0
   1: 0000000000000000FFFF00000100007F:1F90 0000000000000000FFFF00000100007F:A1B2 01 00000000:00000000 00:00000000 00000000  1000        0 2002 1 0000000000000000 20 4 30 10 -1
`
)

func TestListeningInodes(t *testing.T) {
	for _, test := range []struct {
		reason string
		table  string
		port   int
		want   []string
	}{
		{reason: "the listener, not its connections, nor those to it", table: tcpTable, port: 8080, want: []string{"1001"}},
		{reason: "another listener", table: tcpTable, port: 22, want: []string{"1002"}},
		{reason: "a port of a connection has no listener", table: tcpTable, port: 0xD431},
		{reason: "the end of another port's digits is not that port", table: tcpTable, port: 0x90},
		{reason: "IPv6", table: tcp6Table, port: 8080, want: []string{"2001"}},
		{reason: "several listeners, on one address each", table: tcpTable + tcp6Table, port: 8080, want: []string{"1001", "2001"}},
		{reason: "lines of garbage around it", table: "\n:1F90 0A\n\x00\xff\n" + tcpTable + "0A 0A 0A 0A 0A 0A 0A 0A 0A 0A", port: 8080, want: []string{"1001"}},
		{reason: "a last line cut short", table: tcpTable[:strings.Index(tcpTable, " 1001")], port: 8080},
		{reason: "an empty table", table: "", port: 8080},
	} {
		t.Run(test.reason, func(t *testing.T) {
			got := slices.Sorted(maps.Keys(listeningInodes(test.table, test.port)))
			if !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func FuzzListeningInodes(f *testing.F) {
	f.Add(tcpTable, 8080)
	f.Add(tcp6Table, 22)
	f.Add("", 0)
	f.Add(": :0000 x 0A", 0)
	f.Add("a b:-001 c 0A e f g h i j", -1)
	f.Fuzz(func(t *testing.T, table string, port int) {
		words := strings.Fields(table)
		for inode := range listeningInodes(table, port) {
			if !slices.Contains(words, inode) || !slices.Contains(words, "0A") {
				t.Errorf("made up %q", inode)
			}
		}
	})
}
