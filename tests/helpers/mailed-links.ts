/** The magic links in the mails to an address, the newest last. */
export function mailedLinks(mails: readonly { to: string; text: string }[], email: string): URL[] {
  return mails
    .filter(({ to }) => to === email)
    .map(({ text }) => new URL(/https?:\/\/\S+\/v1\/auth\/magic\/verify\S*/.exec(text)?.[0] ?? ""));
}
