import { describe, expect, it } from 'vitest';
import { Cell } from '../../../supervision/cells/cell.ts';
import { HeapClock } from '../../../supervision/clock.ts';
import { compileChart } from '../../../supervision/inspection/chart.ts';
import type { Step } from '../../../supervision/inspection/observation.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { orderBinding, orderMachine } from '../../support/order-chart.ts';

const chart = compileChart('order', 1, orderMachine as never);

function open() {
  const cell = new Cell({
    binding: orderBinding(new MemoryStore()),
    id: 'a',
    epoch: 1,
    clock: new HeapClock(),
    down: () => undefined,
  });
  cell.start({ input: { item: 'bolt' } });
  return cell;
}

describe('a cell that is watched (C8)', () => {
  it('reports each step with its event, the state it led to and the edges taken', () => {
    const cell = open();
    const steps: Step[] = [];
    cell.watch({ stepped: (step) => void steps.push(step) });
    cell.tell({ type: 'order.pay' });
    cell.tell({ type: 'charge.done' });
    expect(steps.map(({ event, snapshot }) => [event.type, snapshot.value])).toEqual([
      ['order.pay', 'charging'],
      ['charge.done', 'shipping'],
    ]);
    expect(steps.map(({ taken }) => chart.edgesOf(taken))).toEqual([
      ['order.open|order.pay|0'],
      ['order.charging|charge.done|0'],
    ]);
  });

  it('reports an event that the chart ignores, with no edge', () => {
    const cell = open();
    const steps: Step[] = [];
    cell.watch({ stepped: (step) => void steps.push(step) });
    cell.tell({ type: 'ship.done' });
    expect(steps.map(({ event, taken }) => [event.type, taken])).toEqual([['ship.done', []]]);
  });

  it('goes on unharmed when its watcher throws, and does not ask that one again', async () => {
    const cell = open();
    const failures: unknown[] = [];
    const others: string[] = [];
    cell.watch({
      stepped: () => {
        throw new Error('a page with a defect');
      },
      failed: (error) => {
        failures.push(error);
        throw new Error('and its report has one too');
      },
    });
    cell.watch({ stepped: ({ event }) => void others.push(event.type) });
    for (const type of ['order.pay', 'charge.done']) expect(cell.tell({ type })).toBe('accepted');
    expect(cell.actor?.getSnapshot().value).toBe('shipping');
    expect(cell.alive).toBe(true);
    expect(failures).toHaveLength(1);
    expect(others).toEqual(['order.pay', 'charge.done']);
    await cell.settled();
  });

  it('reports nothing any more once it is let alone, and nothing of being stopped', () => {
    const cell = open();
    const steps: Step[] = [];
    const detach = cell.watch({ stepped: (step) => void steps.push(step) });
    detach();
    cell.tell({ type: 'order.pay' });
    cell.watch({ stepped: (step) => void steps.push(step) });
    cell.stop();
    expect(steps).toEqual([]);
  });
});
