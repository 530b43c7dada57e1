import { NarrowCard, NarrowFrame } from "#components/layout/narrow-frame.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import { answerPageWith } from "#server/http/page-answer.ts";
import { SendAgain } from "../failed-card.tsx";
import { chosenTheme } from "../page-request.ts";

/** The answer to a form that was sent without a session and without scripts: nothing typed is lost. */
export async function signedOutPage(signInHref: string) {
  answerPageWith(401);
  return (
    <NarrowFrame theme={await chosenTheme()}>
      <title>You are signed out · Stopwatch</title>
      <NarrowCard title="You are signed out">
        <Notice kind="bad" announce="alert">
          <b>Not stored.</b> The session ended before the form was sent.
        </Notice>
        <p>
          <TextLink href={signInHref} target="_blank">
            Sign in in another tab
          </TextLink>
          , then come back here.
        </p>
        <SendAgain />
      </NarrowCard>
    </NarrowFrame>
  );
}
