import { Check, Copy as CopyIcon } from "lucide";
import { CopyText } from "./copy-text.tsx";
import { Icon } from "./icon.tsx";

/** A small copy button; `what` completes its label ("Copy curl command"). Hidden without scripts. */
export function Copy({ text, what }: { text: string; what: string }) {
  return (
    <CopyText
      text={text}
      label={`Copy ${what}`}
      icon={<Icon of={CopyIcon} small />}
      done={<Icon of={Check} small className="text-ok" />}
    />
  );
}
