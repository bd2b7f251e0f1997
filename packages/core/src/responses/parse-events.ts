import { createParser, type EventSourceMessage } from 'eventsource-parser';

/** Parses server-sent events. Comments are ignored, and so is an event at the end that is not complete. */
export function parseEvents(text: string): readonly EventSourceMessage[] {
  const events: EventSourceMessage[] = [];
  createParser({ onEvent: (event) => void events.push(event) }).feed(text);
  return events;
}
