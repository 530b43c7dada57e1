import { Notice } from "../ui/notice.tsx";
import { TextLink } from "../ui/text-link.tsx";

/** Says why a replay was not stored, by the error's code; nothing without one. */
export function ReplayFailure({ error, cloneHref }: { error: string | undefined; cloneHref: string }) {
  if (error === undefined) return null;
  return (
    <Notice kind="bad" announce="alert">
      <b>Not replayed.</b> {REASONS.get(error) ?? "Try again."}
      {error === "CONFLICT" && (
        <>
          {" "}
          <TextLink href={cloneHref}>Clone it</TextLink> with a payload and headers of its own.
        </>
      )}
    </Notice>
  );
}

const REASONS = new Map<string, string>(
  Object.entries({
    CONFLICT: "Payload and headers were erased at the end of the plan's retention.",
    QUOTA_EXCEEDED: "The quota of the month is used up, with its grace.",
    PAYLOAD_TOO_LARGE: "Its payload is larger than the plan allows now.",
    past: "Its own time has passed meanwhile. It can be replayed now.",
    VALIDATION: "Its target is not allowed any more.",
    UNAVAILABLE: "The database did not answer. Press again: it is replayed once.",
    UNAUTHORIZED: "You were signed out. Press again.",
  }),
);
