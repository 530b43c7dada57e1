export type { ReceiveOptions } from "./receiving/answer.ts";
export { memoryOnce, type Once } from "./receiving/once.ts";
export { receive } from "./receiving/receive.ts";
export { type NodeRequest, type NodeResponse, receiveNode } from "./receiving/receive-node.ts";
export { Gone, RetryLater } from "./receiving/retry-later.ts";
export { type DeliveryHeaders, signDelivery } from "./signatures/sign-delivery.ts";
export type { Delivery } from "./signatures/verify-signature.ts";
