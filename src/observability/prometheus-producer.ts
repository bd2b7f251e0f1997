import { type Attributes, ValueType } from '@opentelemetry/api';
import { millisToHrTime } from '@opentelemetry/core';
import { emptyResource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import { scopeName } from './spans.js';

type PrometheusMetric = MetricObjectWithValues<MetricValue<string> & { readonly metricName?: string }>;
type Times = Pick<DataPoint<unknown>, 'startTime' | 'endTime'>;

/** Passes on the metrics of a Prometheus registry, with their names and labels. */
export function createPrometheusProducer(read: () => Promise<PrometheusMetric[]>): MetricProducer {
  const startTime = millisToHrTime(performance.timeOrigin);
  return {
    collect: async () => {
      const times = { startTime, endTime: millisToHrTime(Date.now()) };
      const metrics = (await read()).map((metric) => metricDataOf(metric, times));
      const scopeMetrics = [{ scope: { name: scopeName }, metrics }];
      return { resourceMetrics: { resource: emptyResource(), scopeMetrics }, errors: [] };
    },
  };
}

function metricDataOf(metric: PrometheusMetric, times: Times): MetricData {
  const { name, help, type, values } = metric;
  const common = {
    descriptor: { name, description: help, unit: '', valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  // The declaration of the type is wrong: it is a word, such as `counter`.
  if (String(type) === 'histogram')
    return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints: histogramsOf(metric, times) };
  const dataPoints = values.map(({ labels, value }) => ({ ...times, attributes: { ...labels }, value }));
  return String(type) === 'counter'
    ? { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
    : { ...common, dataPointType: DataPointType.GAUGE, dataPoints };
}

/** A histogram per combination of labels. Prometheus has the cumulative count of each bucket in a separate value. */
function histogramsOf({ name, values }: PrometheusMetric, times: Times) {
  const histograms = new Map<string, ReturnType<typeof emptyHistogram>>();
  for (const { metricName, labels, value } of values) {
    const { le, ...attributes } = labels as Attributes;
    const key = JSON.stringify(attributes);
    const histogram = histograms.get(key) ?? emptyHistogram(attributes, times);
    histograms.set(key, histogram);
    const { buckets } = histogram.value;
    if (metricName === `${name}_sum`) histogram.value.sum = value;
    else if (le !== undefined) {
      if (Number.isFinite(Number(le))) buckets.boundaries.push(Number(le));
      buckets.counts.push(value - histogram.value.count);
      histogram.value.count = value;
    }
  }
  return [...histograms.values()];
}

function emptyHistogram(attributes: Attributes, times: Times) {
  const buckets = { boundaries: [] as number[], counts: [] as number[] };
  return { ...times, attributes, value: { buckets, sum: 0, count: 0 } };
}
