/**
 * What Inspect (version 2 of its log), Every Eval Ever (0.3.0) and Jenkins require of the files that the hub writes, as
 * JSON Schema or a table. Only the parts that the hub fills; their own schemas have many more.
 */
const text = { type: 'string' };
const maybeText = { type: ['string', 'null'] };
const count = { type: 'integer', minimum: 0 };
const none = { type: 'null' };
const map = { type: 'object' };
const emptyList = { type: 'array', maxItems: 0 };

type Fields = Readonly<Record<string, object>>;

/** Every field is there and no other. */
const exact = (properties: Fields) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const list = (items: object) => ({ type: 'array', items });
const allNull = (names: string) => Object.fromEntries(names.split(' ').map((name) => [name, none]));
const or = (...anyOf: object[]) => ({ anyOf });

const usage = exact({
  input_tokens: count,
  output_tokens: count,
  total_tokens: count,
  ...allNull('input_tokens_cache_write input_tokens_cache_read reasoning_tokens total_cost'),
});
const usages = { type: 'object', additionalProperties: usage };
const generateConfig = { type: 'object', minProperties: 38, maxProperties: 38, additionalProperties: none };
const evalConfig = {
  type: 'object',
  minProperties: 33,
  maxProperties: 33,
  properties: { epochs: { type: 'integer', minimum: 1 }, epochs_reducer: list(text) },
  additionalProperties: none,
};

const metric = exact({ name: text, value: { type: 'number' }, params: map, group: none, metadata: none });
const messageFields = { content: text, id: none, metadata: none };
const userMessage = exact({
  ...messageFields,
  role: { const: 'user' },
  source: { const: 'input' },
  tool_call_id: none,
});
const systemMessage = exact({ ...messageFields, role: { const: 'system' }, source: { const: 'input' } });
const toolMessage = exact({
  ...messageFields,
  role: { const: 'tool' },
  source: { const: 'input' },
  tool_call_id: maybeText,
  ...allNull('function error'),
});
const toolCall = exact({
  id: text,
  function: text,
  arguments: map,
  parse_error: maybeText,
  view: none,
  type: { const: 'function' },
});
const assistantMessage = exact({
  ...messageFields,
  role: { const: 'assistant' },
  source: { const: 'generate' },
  tool_calls: or(list(toolCall), none),
  model: text,
});
const choice = exact({
  message: assistantMessage,
  stop_reason: { const: 'unknown' },
  ...allNull('stop_details logprobs prompt_logprobs'),
});
const error = exact({ message: text, traceback: text, traceback_ansi: text });
const score = exact({
  value: { enum: [0, 1] },
  answer: maybeText,
  explanation: maybeText,
  metadata: exact({ share: { type: 'number', minimum: 0, maximum: 1 } }),
  history: emptyList,
});
const seconds = { type: ['number', 'null'], minimum: 0 };

const sample = exact({
  id: text,
  epoch: { type: 'integer', minimum: 1 },
  input: text,
  target: text,
  messages: list(or(systemMessage, userMessage, toolMessage, assistantMessage)),
  output: exact({
    model: text,
    choices: list(choice),
    completion: text,
    usage: or(usage, none),
    time: seconds,
    ...allNull('fallback metadata error'),
  }),
  scores: { type: 'object', additionalProperties: score },
  metadata: map,
  store: map,
  events: emptyList,
  model_usage: usages,
  role_usage: map,
  attachments: map,
  total_time: seconds,
  working_time: seconds,
  error: or(error, none),
  ...allNull(
    'choices sandbox files setup events_data timelines model_fallbacks started_at completed_at turn_count token_limit token_limit_type token_limit_usage uuid invalidation error_retries limit',
  ),
});

export const inspectContract = exact({
  version: { const: 2 },
  status: { enum: ['started', 'success', 'cancelled', 'error'] },
  eval: exact({
    ...Object.fromEntries(
      'eval_id run_id created task task_id task_version task_display_name model'
        .split(' ')
        .map((name) => [name, text]),
    ),
    dataset: exact({ name: text, location: none, samples: count, sample_ids: list(text), shuffled: none }),
    model_generate_config: generateConfig,
    config: evalConfig,
    metadata: map,
    ...Object.fromEntries(
      'task_attribs task_args task_args_passed model_args packages'.split(' ').map((name) => [name, map]),
    ),
    ...allNull(
      'eval_set_id task_file task_registry_name solver solver_args solver_args_passed tags sandbox model_base_url model_roles revision scorers metrics viewer',
    ),
  }),
  plan: exact({
    name: text,
    steps: list(exact({ solver: text, params: map, params_passed: map })),
    finish: none,
    config: generateConfig,
  }),
  results: exact({
    total_samples: count,
    completed_samples: count,
    early_stopping: none,
    scores: list(
      exact({
        name: text,
        scorer: text,
        reducer: text,
        scored_samples: count,
        unscored_samples: count,
        params: map,
        metrics: { type: 'object', additionalProperties: metric },
        metadata: none,
      }),
    ),
    metadata: none,
  }),
  stats: exact({
    started_at: text,
    completed_at: text,
    connection_limit_history: emptyList,
    model_usage: usages,
    role_usage: map,
  }),
  invalidated: { const: false },
  tags: list(text),
  metadata: map,
  samples: list(sample),
  ...allNull('error log_updates config_updates reductions'),
});

const details = { type: 'object', additionalProperties: text };

export const everyEvalEverContract = exact({
  schema_version: { const: '0.3.0' },
  evaluation_id: text,
  evaluation_timestamp: { type: 'string', pattern: '^\\d+$' },
  retrieved_timestamp: { type: 'string', pattern: '^\\d+$' },
  source_metadata: exact({
    source_name: text,
    source_type: { const: 'evaluation_run' },
    source_organization_name: text,
    source_organization_url: text,
    evaluator_relationship: { enum: ['first_party', 'third_party', 'collaborative', 'other'] },
    additional_details: details,
  }),
  eval_library: exact({ name: text, version: text }),
  model_info: exact({
    name: text,
    id: text,
    additional_details: exact({
      agent: text,
      deployment_type: { enum: ['self_deployed', 'externally_managed', 'unknown'] },
      model_availability: { enum: ['open_weights', 'closed_weights', 'unknown'] },
    }),
  }),
  evaluation_results: list(
    exact({
      evaluation_name: text,
      evaluation_timestamp: text,
      source_data: exact({
        dataset_name: text,
        source_type: { const: 'other' },
        additional_details: details,
      }),
      metric_config: exact({
        evaluation_description: text,
        lower_is_better: { type: 'boolean' },
        score_type: { const: 'continuous' },
        min_score: { type: 'number' },
        max_score: { type: 'number' },
      }),
      score_details: exact({
        score: { type: 'number' },
        details,
        uncertainty: {
          type: 'object',
          required: ['num_samples'],
          properties: {
            num_samples: count,
            confidence_interval: exact({
              lower: { type: 'number' },
              upper: { type: 'number' },
              confidence_level: { const: 0.95 },
            }),
          },
          additionalProperties: false,
        },
      }),
    }),
  ),
});

interface XmlElement {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  readonly children: readonly string[];
  /** Whether the children come at most once each, in this order. */
  readonly isSequence?: true;
}

const counts = ['tests', 'failures', 'errors'];
const message: XmlElement = { required: [], optional: ['type', 'message'], children: [] };
const repeated: XmlElement = {
  required: ['type'],
  optional: ['message'],
  children: ['stackTrace', 'system-out', 'system-err'],
  isSequence: true,
};
const plain: XmlElement = { required: [], optional: [], children: [] };

/** What `junit-10.xsd` of Jenkins' xUnit plugin allows. */
export const junitContract: Readonly<Record<string, XmlElement>> = {
  testsuites: { required: [], optional: ['name', 'time', ...counts], children: ['testsuite'] },
  testsuite: {
    required: ['name', ...counts],
    optional: 'group time skipped timestamp hostname id package file log url'.split(' '),
    children: ['testsuite', 'properties', 'testcase', 'system-out', 'system-err'],
  },
  properties: { required: [], optional: [], children: ['property'] },
  property: { required: ['name', 'value'], optional: [], children: [] },
  testcase: {
    required: ['name'],
    optional: ['time', 'classname', 'group'],
    children:
      'skipped error failure rerunFailure rerunError flakyFailure flakyError system-out system-err'.split(
        ' ',
      ),
  },
  skipped: message,
  error: message,
  failure: message,
  rerunFailure: repeated,
  rerunError: repeated,
  flakyFailure: repeated,
  flakyError: repeated,
  stackTrace: plain,
  'system-out': plain,
  'system-err': plain,
};
