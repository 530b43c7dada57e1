export {
  type ErrorCode,
  type ErrorDetail,
  type LocalErrorCode,
  type ServiceErrorCode,
  type SignatureProblem,
  StopwatchError,
  type StopwatchErrorOptions,
} from "./error.ts";
