/** Client of an Agent Hub. */
export type * from './api-types.ts';
export { ChallengeError, checkChallenge, type ExpectedChallenge, signChallenge } from './challenge.ts';
export type { AnswerCase, EvalCase, EvaluateOptions, FinishedRun } from './evaluate.ts';
export { Hub, type HubOptions, type LogInOptions, type SignUpOptions } from './hub.ts';
export { HubError } from './hub-error.ts';
export { type AgentKey, createKey } from './keys.ts';
export {
  type Conversation,
  type Message,
  serveAgent,
  type ServeAgentOptions,
  type ServedAgent,
  type Tool,
  type ToolCall,
} from './serve-agent.ts';
export type { Reply } from './reply-fields.ts';
export {
  CredentialError,
  verifyCredential,
  type VerifiedCredential,
  type VerifyCredentialOptions,
} from './verify-credential.ts';
export { verifyWebhook, type WebhookDelivery, type WebhookPayload } from './verify-webhook.ts';
