import { type SentMail, startFakeResend } from "./fake-resend.ts";

/** The mails with magic links, as a local stand-in for Resend got them. */
export async function startSignInMails() {
  const resend = await startFakeResend();
  const mailsTo = (email: string): SentMail[] => resend.accepted.filter(({ to }) => [to].flat().includes(email));
  return {
    /** For RESEND_BASE_URL and RESEND_API_KEY. */
    url: resend.baseUrl,
    key: resend.apiKey,
    /** All mails, the newest last. */
    mails: resend.accepted as SentMail[],
    /** The addresses in the mails to somebody, the newest last. */
    linksTo: (email: string): URL[] =>
      mailsTo(email).map(({ text }) => new URL(/https?:\/\/\S+\/v1\/auth\/magic\/verify\S*/.exec(text)?.[0] ?? "")),
    /** Answers with this status until it is 200 again. */
    set status(status: number) {
      resend.behave(status === 200 ? "accept" : { status });
    },
    stop: () => resend.close(),
  };
}
