"use client";

import { type ReactNode, useState } from "react";
import { Button } from "../ui/button.tsx";
import { Card, CardBody, CardHead } from "../ui/card.tsx";
import { TextArea, TextField } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";
import { useEarlyInput } from "../ui/use-early-input.ts";
import { checkSignature, type SignatureCheck } from "./check-signature.ts";

const TOLERANCE_S = 300;

/** Checks a signature in the browser. Its fields belong to no form, so nothing that is typed here is sent. */
export function SignatureChecker({ current, next }: { current: string; next: string }) {
  const [headers, setHeaders] = useState("");
  const [body, setBody] = useState("");
  const [secret, setSecret] = useState("");
  const [result, setResult] = useState<SignatureCheck | null>(null);
  const fields = useEarlyInput<HTMLDivElement>((textOf) => {
    setHeaders(textOf("headers"));
    setBody(textOf("body"));
    setSecret(textOf("secret"));
  });

  const check = async () => {
    if (globalThis.crypto?.subtle === undefined) return setResult({ outcome: "incomplete", problem: NO_CRYPTO });
    const typed = secret.trim() === "" ? [] : [{ name: "typed", secret: secret.trim() }];
    const secrets = [...typed, { name: "current", secret: current }, { name: "next", secret: next }];
    setResult(await checkSignature(headers, body, secrets, Date.now()));
  };
  const edit = (set: (text: string) => void) => (event: { target: { value: string } }) => {
    setResult(null);
    set(event.target.value);
  };

  return (
    <Card aria-labelledby="check">
      <CardHead title="Check a signature" id="check">
        <span className="text-ink-muted text-xs">runs in this page</span>
      </CardHead>
      <CardBody className="hidden text-ink-soft text-sm noscript:block">
        It needs scripts. The code beside it does the same at your receiver.
      </CardBody>
      <CardBody ref={fields} className="grid grid-cols-1 gap-4 noscript:hidden">
        <TextArea
          name="headers"
          label="Received headers"
          rows={3}
          placeholder={"webhook-id: sch_…\nwebhook-timestamp: …\nwebhook-signature: v1,…"}
          spellCheck={false}
          value={headers}
          onChange={edit(setHeaders)}
        />
        <TextArea
          name="body"
          label="Raw body"
          rows={2}
          placeholder={'{"customer":"cus_81"}'}
          spellCheck={false}
          value={body}
          onChange={edit(setBody)}
        />
        <TextField
          name="secret"
          label="Another secret to try"
          hint="Current and next are tried in any case. Nothing is sent."
          autoComplete="off"
          spellCheck={false}
          mono
          value={secret}
          onChange={edit(setSecret)}
        />
        <div className="justify-self-start">
          <Button onClick={check}>Check</Button>
        </div>
        <div role="status">{result && <Result of={result} />}</div>
      </CardBody>
    </Card>
  );
}

const NO_CRYPTO = "Browsers have WebCrypto only on https and on localhost. Open this page there.";

function Result({ of: result }: { of: SignatureCheck }): ReactNode {
  if (result.outcome === "incomplete") return <Notice kind="warn">{result.problem}</Notice>;
  if (result.outcome === "unsigned") {
    return (
      <Notice kind="bad">
        <b>It does not match.</b> The body differs, or another secret signed it. A parser that reformats JSON is the
        usual reason.
      </Notice>
    );
  }
  const isOld = Math.abs(result.ageS) > TOLERANCE_S;
  return (
    <Notice kind={isOld ? "warn" : "ok"}>
      <b>It matches the {result.secretName} secret.</b>
      {isOld && " Its timestamp is over five minutes from now, so receivers refuse it today."}
    </Notice>
  );
}
