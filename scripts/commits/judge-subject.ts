/**
 * What is wrong with the subject of a commit; empty when nothing is. A subject is "part: what changes" in at most 72
 * characters, such as "turn queue: explain why the index stays after a drop".
 */
export function judgeSubject(subject: string): string[] {
  const length = [...subject].length;
  const faults = [describeForm(subject), length > LENGTH_MAX && `has ${length} characters, ${LENGTH_MAX} at most`];
  return faults.filter((fault) => typeof fault === "string");
}

const LENGTH_MAX = 72;
const PART_LENGTH_MAX = 40;

function describeForm(subject: string): string | undefined {
  if (/^(fixup|squash|amend)!/i.test(subject)) return "is to be squashed into an earlier commit";
  if (/^\W*wip\b/i.test(subject)) return "says that it is unfinished";
  const [, part, change] = subject.match(/^(\S[^:]*): (\S.*)$/) ?? [];
  if (part === undefined || change === undefined)
    return 'does not begin with its part and a colon ("part: what changes")';
  if ([...part].length > PART_LENGTH_MAX) return `names a part of more than ${PART_LENGTH_MAX} characters`;
  if (/^(\W*wip\b|\S*$)/i.test(change)) return "does not say what changes";
}
