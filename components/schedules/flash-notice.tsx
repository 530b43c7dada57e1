import { Notice } from "../ui/notice.tsx";
import { TextLink } from "../ui/text-link.tsx";

/** Above the list: what the last form did to one schedule, or why it did nothing. */
export function FlashNotice({
  flash: { result, id } = {},
  error,
  problem,
  hrefOf,
}: {
  flash?: { result?: string; id?: string } | undefined;
  error?: string | undefined;
  /** The error in the parameters of the URL. */
  problem?: string | undefined;
  hrefOf: (id: string) => string;
}) {
  if (problem !== undefined) {
    return (
      <Notice kind="bad" announce="alert">
        {problem}
      </Notice>
    );
  }
  if (error !== undefined) {
    return (
      <Notice kind="bad" announce="alert">
        {error === "none" ? "Nothing was selected. Tick schedules first." : "Nothing was done. Try again."}
      </Notice>
    );
  }
  if (id === undefined || (result !== "cancel" && result !== "replay")) return null;
  return (
    <Notice kind="ok" announce="status">
      {result === "cancel" ? (
        <>
          <TextLink href={hrefOf(id)}>The schedule</TextLink> is cancelled. It will not be sent.{" "}
          <TextLink href={hrefOf(`${id}/replay`)}>Replay it</TextLink> at its old time, while that is ahead.
        </>
      ) : (
        <>
          <TextLink href={hrefOf(id)}>A copy</TextLink> was created, and is sent now.
        </>
      )}
    </Notice>
  );
}
