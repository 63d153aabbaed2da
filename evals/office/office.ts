/**
 * The state of the simulated office that an agent works in. A task starts from a fixed office, the agent's calls change
 * it, and the grader compares the final state with the initial one. Amounts are whole crowns; times are `YYYY-MM-DD
 * HH:MM`, office time.
 */

export interface Contact {
  readonly contact_id: string;
  readonly name: string;
  readonly role: string;
  readonly company: string;
  readonly email: string;
  /** The bank account for payments to this contact. */
  readonly account: string;
}

export interface Mail {
  readonly mail_id: string;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly body: string;
  readonly sent_at: string;
}

export interface CalendarEvent {
  readonly event_id: string;
  readonly title: string;
  readonly attendees: readonly string[];
  readonly minutes: number;
  starts_at: string;
  cancelled: boolean;
}

export interface OfficeFile {
  readonly file_id: string;
  readonly name: string;
  readonly folder: string;
  readonly content: string;
  readonly shared_with: string[];
}

/** The fields of an order that `update_order` may change. */
export interface OrderFields {
  address: string;
  quantity: number;
  status: OrderStatus;
}

export interface Order extends OrderFields {
  readonly order_id: string;
  readonly customer: string;
  readonly item: string;
  readonly total: number;
  readonly ordered_on: string;
  readonly note: string;
  refunded: number;
}

export const orderStatuses = ['open', 'packed', 'shipped', 'delivered', 'closed'] as const;
export type OrderStatus = (typeof orderStatuses)[number];

export interface Payment {
  readonly account: string;
  readonly amount: number;
  readonly reference: string;
}

export interface Office {
  readonly today: string;
  readonly contacts: Contact[];
  /** Received mail. What the agent sends is in `sent`. */
  readonly mails: Mail[];
  readonly sent: Mail[];
  readonly events: CalendarEvent[];
  readonly files: OfficeFile[];
  readonly orders: Order[];
  readonly payments: Payment[];
}

/** The address from which the office sends mail. */
export const officeEmail = 'office@home.example';

/** A copy for one agent to change. Rows that no tool changes are shared. */
export function copyOffice(office: Office): Office {
  return {
    today: office.today,
    contacts: [...office.contacts],
    mails: [...office.mails],
    sent: [...office.sent],
    events: office.events.map((event) => ({ ...event })),
    files: office.files.map((file) => ({ ...file, shared_with: [...file.shared_with] })),
    orders: office.orders.map((order) => ({ ...order })),
    payments: [...office.payments],
  };
}
