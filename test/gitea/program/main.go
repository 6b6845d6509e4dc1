// Gitea for tests: Gitea's own commands, on SQLite without a C compiler, and one command more, `serve CONFIG PORT`. It listens on
// that port of loopback, or on a free one for 0, makes an administrator if there is none yet, and prints the address and a token
// of theirs as one line of JSON. It ends when its standard input does, so that no test leaves one behind.
package main

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"io"
	"log"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"code.gitea.io/gitea/cmd"
	auth_model "code.gitea.io/gitea/models/auth"
	user_model "code.gitea.io/gitea/models/user"
	"code.gitea.io/gitea/modules/graceful"
	_ "code.gitea.io/gitea/modules/markup/markdown"
	"code.gitea.io/gitea/modules/setting"
	"modernc.org/sqlite"
)

// The version of go.mod: clients read it from the API and decide by it what they may call.
const version = "1.26.0"

const administrator = "admin-of-tests"

func main() {
	setting.AppVer = version
	setting.AppStartTime = time.Now().UTC()
	setting.EnableSQLite3 = true
	setting.SupportedDatabaseTypes = append(setting.SupportedDatabaseTypes, "sqlite3")
	sql.Register("sqlite3", pureSQLite{})

	args := os.Args
	if len(args) == 4 && args[1] == "serve" {
		listener, err := net.Listen("tcp", "127.0.0.1:"+args[3])
		if err != nil {
			log.Fatal(err)
		}
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			os.Exit(0)
		}()
		// Gitea asks for its listener when everything else is ready.
		graceful.GetListener = func(_, _ string) (net.Listener, error) {
			defer graceful.GetManager().InformCleanup()
			return listener, introduce(listener.Addr())
		}
		port := strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
		args = []string{args[0], "web", "--config", args[2], "--port", port}
	}
	if err := cmd.RunMainApp(cmd.NewMainApp(cmd.AppVersion{Version: version}), args...); err != nil {
		os.Exit(1)
	}
}

// introduce makes the administrator, unless the data of an earlier start has them, and prints how to reach Gitea as them.
func introduce(address net.Addr) error {
	ctx := context.Background()
	user, err := user_model.GetUserByName(ctx, administrator)
	if user_model.IsErrUserNotExist(err) {
		user = &user_model.User{Name: administrator, Email: "admin@tests.invalid", IsAdmin: true}
		err = user_model.AdminCreateUser(ctx, user, &user_model.Meta{})
	}
	if err != nil {
		return err
	}
	token := &auth_model.AccessToken{Name: "tests", UID: user.ID, Scope: auth_model.AccessTokenScopeAll}
	if err := auth_model.NewAccessToken(ctx, token); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]string{"host": address.String(), "token": token.Token})
}

// pureSQLite stands in for the driver that needs cgo, under its name.
type pureSQLite struct{}

func (pureSQLite) Open(name string) (driver.Conn, error) {
	path, _, _ := strings.Cut(name, "?")
	// Nothing has to survive a crash of the machine. In this journal mode readers do not wait for writers.
	const options = "?_txlock=immediate&_time_format=sqlite&_pragma=busy_timeout(60000)&_pragma=journal_mode(wal)&_pragma=synchronous(off)"
	return (&sqlite.Driver{}).Open(path + options)
}
