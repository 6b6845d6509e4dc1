import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { LoginAnswer } from "../../../src/server/console/console-api.ts";
import { callServer, logIn, ServerFailure } from "../call-server.ts";
import { FailureNotice, NoticeBox } from "../parts/notices.tsx";
import { useRoute } from "../use-route.tsx";

const failures: Readonly<Record<string, string>> = {
  login: "This login was begun elsewhere, is too old, or was used before.",
  provider:
    "The identity provider did not accept the login, or its answer was not valid. The log of the console says why.",
  cluster: "The cluster does not know you, or could not be asked. The log of the console says why.",
};

/** Logs in by the link that opened the page, or by a token. */
export function LoginPage({ onDone }: { onDone: () => void }): ReactNode {
  const [failure, setFailure] = useState<ServerFailure>();
  const [token, setToken] = useState("");
  const isTried = useRef(false);
  const [provider, setProvider] = useState<string>();
  const { query } = useRoute();
  const failed = failures[query.get("failed") ?? ""];
  useEffect(() => {
    callServer("/api/login", LoginAnswer).then(
      (ways) => setProvider(ways.provider),
      // The form below works without it.
      () => {},
    );
  }, []);

  function tryToLogIn(login: { link: string } | { token: string }): void {
    logIn(login).then(onDone, (error: unknown) =>
      setFailure(error instanceof ServerFailure ? error : new ServerFailure(0, String(error))),
    );
  }

  useEffect(() => {
    const link = window.location.hash.slice(1);
    if (link === "" || isTried.current) return;
    isTried.current = true;
    // The link works once; it has no business in the history.
    history.replaceState(null, "", "/");
    tryToLogIn({ link });
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    tryToLogIn({ token: token.trim() });
  }

  return (
    <main className="login">
      <form className="card" onSubmit={submit}>
        <h1>
          <img src="/tenon.svg" alt="" width="32" height="32" /> Tenon
        </h1>
        <FailureNotice failure={failure} />
        {failed !== undefined && <NoticeBox>{failed} Log in again.</NoticeBox>}
        {provider !== undefined && (
          <a className="button-link" href={`/oidc/login?to=${encodeURIComponent(currentPath())}`}>
            Log in at {provider}
          </a>
        )}
        <p>
          On your own machine, open the link that <code>tenon console</code> prints. Elsewhere, log in with a token of
          Kubernetes; you then see and do what that token may.
        </p>
        <label className="field">
          <span>token</span>
          <input
            type="password"
            autoComplete="off"
            value={token}
            onChange={({ target }) => setToken(target.value)}
            required
          />
        </label>
        <button type="submit" className="primary">
          Log in
        </button>
        <p className="quiet">
          For example: <code>kubectl create token ACCOUNT --namespace NAMESPACE</code>
        </p>
      </form>
    </main>
  );
}

/** Where the person wanted to go. */
function currentPath(): string {
  const { pathname, search } = window.location;
  return pathname === "/login" ? "/" : `${pathname}${search}`;
}
