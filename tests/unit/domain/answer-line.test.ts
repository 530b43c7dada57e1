import { expect, it } from "vitest";
import { answerLine } from "#domain/answer-line.ts";

it.each([
  ["settlement window closed", "settlement window closed"],
  ["\n  \r\n first \r\nsecond", "first"],
  ['{"error":"settlement window closed"}', "settlement window closed"],
  ['{"error":{"code":4,"message":"out of stock"},"status":503}', "out of stock"],
  ['{"type":"about:blank","title":"Locked","detail":"the ledger\\nis closed"}', "the ledger"],
  ["<html>\r\n<head><title>502 Bad Gateway</title></head>", "502 Bad Gateway"],
  ["<!DOCTYPE html><title> </title><p>x", "x"],
  ["<html>", ""],
  ["<5 ms left", "<5 ms left"],
  ['{"error":"cut of', '{"error":"cut of'],
  ['{"ok":false}', '{"ok":false}'],
  ['{"message":"","error":"closed"}', "closed"],
  ["", ""],
  [" \n ", ""],
])("of the answer %j the line %j is shown", (text, line) => {
  expect(answerLine(text)).toBe(line);
});
