import { button, layOut, paragraph, smallPrint } from "./layout.ts";
import type { Mail } from "./mail.ts";

/** The mail with a magic link, which works until `expiresAt`, `minutes` after it was requested. */
export function signInMail({ to, link, expiresAt, minutes = 15 }: SignIn): Mail {
  const until = `${expiresAt.toISOString().slice(11, 16)} UTC (${minutes} minutes)`;
  return {
    to,
    ...layOut({
      subject: "Your link to Stopwatch",
      preview: `It works once, until ${until}.`,
      parts: [
        paragraph(`Here is your link. It works once, until ${until}, in the browser that requested it.`),
        button("Sign in to Stopwatch", link),
        { ...smallPrint(`Or paste this: ${link}`), text: null },
        smallPrint("You did not ask for it? Then do nothing: without the link, nobody gets in."),
      ],
    }),
  };
}

type SignIn = { to: string; link: string; expiresAt: Date; minutes?: number };
