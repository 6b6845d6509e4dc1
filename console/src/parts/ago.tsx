import { type ReactNode, useEffect, useState } from "react";

const units = [
  ["d", 86_400],
  ["h", 3_600],
  ["min", 60],
] as const;

function describeAgo(time: string, now: number): string {
  const seconds = Math.round((now - Date.parse(time)) / 1_000);
  if (Number.isNaN(seconds)) return time;
  const unit = units.find(([, length]) => Math.abs(seconds) >= length);
  if (!unit) return seconds < 0 ? "in a moment" : "just now";
  const span = `${Math.floor(Math.abs(seconds) / unit[1])} ${unit[0]}`;
  return seconds < 0 ? `in ${span}` : `${span} ago`;
}

/** How long ago, or how soon, with the exact time at hand. */
export function Ago({ time }: { time: string | undefined }): ReactNode {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const ticking = setInterval(() => setNow(Date.now()), 20_000);
    return () => clearInterval(ticking);
  }, []);
  if (time === undefined || time === "") return null;
  const exact = Number.isNaN(Date.parse(time)) ? time : new Date(time).toLocaleString();
  return (
    <time dateTime={time} title={exact}>
      {describeAgo(time, now)}
    </time>
  );
}
