import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { logIn, ServerFailure } from "../call-server.ts";
import { FailureNotice } from "../parts/notices.tsx";

/** Logs in by the link that opened the page, or by a token. */
export function LoginPage({ onDone }: { onDone: () => void }): ReactNode {
  const [failure, setFailure] = useState<ServerFailure>();
  const [token, setToken] = useState("");
  const isTried = useRef(false);

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
