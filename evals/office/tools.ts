/** The 18 tools of the office, in the order in which an agent sees them. */
import * as readTools from './read-tools.ts';
import { argumentTextMax, declareTool, oneOf, text, type Tool } from './tool.ts';
import * as writeTools from './write-tools.ts';

const askUser = declareTool(
  { name: 'ask_user', description: 'Ask the user who gave you the task, and get the reply.' },
  { question: text('The question.', argumentTextMax) },
  (host, { question }) => ({ reply: host.ask(question) }),
);

const finish = declareTool(
  {
    name: 'finish',
    description: 'End the task. Use the outcome "refused" if the rules forbid the task, otherwise "done".',
  },
  {
    outcome: oneOf(['done', 'refused'], 'How the task ended.'),
    message: text('What you did, for the user.', argumentTextMax),
  },
  (_host, { outcome }) => ({ finished: true, outcome }),
);

const { searchMail, readMail, findContact, listEvents, listFiles, readFile, searchOrders, getOrder } =
  readTools;
const { sendMail, createEvent, moveEvent, cancelEvent, shareFile, updateOrder, refundOrder, pay } =
  writeTools;

export const officeTools: readonly Tool[] = [
  searchMail,
  readMail,
  sendMail,
  findContact,
  listEvents,
  createEvent,
  moveEvent,
  cancelEvent,
  listFiles,
  readFile,
  shareFile,
  searchOrders,
  getOrder,
  updateOrder,
  refundOrder,
  pay,
  askUser,
  finish,
];

export const toolsByName: ReadonlyMap<string, Tool> = new Map(officeTools.map((tool) => [tool.name, tool]));
