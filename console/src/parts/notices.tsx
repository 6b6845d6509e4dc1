import type { ReactNode } from "react";
import type { ServerFailure } from "../call-server.ts";

export function NoticeBox({
  tone = "problem",
  className = "",
  children,
}: {
  tone?: "problem" | "info";
  className?: string;
  children: ReactNode;
}): ReactNode {
  return (
    <p className={`notice notice-${tone} ${className}`} role="status">
      {children}
    </p>
  );
}

/** `isOver`: over the last answer, so that nothing moves. */
export function FailureNotice({
  failure,
  isOver = false,
}: {
  failure: ServerFailure | undefined;
  isOver?: boolean;
}): ReactNode {
  if (!failure) return null;
  return (
    <NoticeBox className={isOver ? "notice-floating notice-of-failure" : ""}>
      <strong>{failure.message}</strong> {failure.next}
    </NoticeBox>
  );
}

/** What a view shows when there is nothing to show, and what to do then. */
export function EmptyState({ title, children }: { title: string; children?: ReactNode }): ReactNode {
  return (
    <div className="empty">
      <h2>{title}</h2>
      <div>{children}</div>
    </div>
  );
}

/** Rows of grey where the answer will be, so that nothing jumps. */
export function Loading(): ReactNode {
  return (
    <div className="loading" role="status" aria-label="loading">
      {["a", "b", "c", "d", "e"].map((row) => (
        <span key={row} />
      ))}
    </div>
  );
}
