import { Notice } from "./notice.tsx";

/**
 * The result of a form, at the top of the page that it redirects to: `message` says what it did, `error` is the code of a
 * failure, `words` are texts for codes with a special meaning there.
 */
export function FormOutcome({
  message,
  error,
  words = NO_WORDS,
}: {
  message?: string | undefined;
  error?: string | undefined;
  words?: ReadonlyMap<string, string>;
}) {
  if (error !== undefined) {
    return (
      <Notice kind="bad" announce="alert">
        {words.get(error) ?? COMMON.get(error) ?? "This did not work. Try again."}
      </Notice>
    );
  }
  if (message === undefined) return null;
  return (
    <Notice kind="ok" announce="status">
      {message}
    </Notice>
  );
}

const NO_WORDS: ReadonlyMap<string, string> = new Map();

const COMMON = new Map<string, string>(
  Object.entries({
    unavailable: "The database could not confirm this. Check what is shown here before you try again.",
    RATE_LIMITED: "Too many requests within a minute. Wait a moment, then try again.",
    NOT_FOUND: "It no longer exists.",
  }),
);
