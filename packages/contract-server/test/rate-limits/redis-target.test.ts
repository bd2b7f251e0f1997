import { expect } from 'chai';
import { parseRedisTarget, type RedisTarget } from '#src/rate-limits/redis-target.js';

const server = { isCluster: false, isEncrypted: false, username: '', password: '' };
const cluster: RedisTarget = {
  description: 'rediss-cluster://a.example,[2001:db8::1]:7000',
  urls: ['rediss://shop:hush@a.example', 'rediss://shop:hush@[2001:db8::1]:7000'],
  ...{ isCluster: true, isEncrypted: true, username: 'shop', password: 'hush' },
};

describe('the address of Redis', () => {
  const good: readonly (readonly [url: string, target: Partial<RedisTarget>])[] = [
    ['redis://localhost', {}],
    ['redis://localhost:6379/0', {}],
    ['rediss://cache.example:7000/12', { isEncrypted: true }],
    ['redis://[::1]:7000', {}],
    ['unix:///run/redis.sock', {}],
    ['unix://:hush@/run/my%20redis.sock?db=4', { description: 'unix:///run/my%20redis.sock?db=4' }],
    ['redis://shop:se%40cret@localhost', { description: 'redis://localhost', username: 'shop', password: 'se@cret' }],
    ['redis://:a:b@localhost', { description: 'redis://localhost', password: 'a:b' }],
    ['rediss-cluster://shop:hush@a.example,[2001:db8::1]:7000', cluster],
  ];
  for (const [url, target] of good)
    it(`may be ${url}`, () =>
      expect(parseRedisTarget(url)).to.deep.equal({ ...server, urls: [url], description: url, ...target }));

  for (const [problem, ...urls] of [
    [
      'must have a form like',
      ...'localhost localhost:6379 http://localhost REDIS://localhost redis:/localhost'.split(' '),
    ],
    [
      'must have a form like',
      ...'valkey://a redis:// redis://a@b@c redis://a/0?db=1 redis://a/0/1 redis://a/-1'.split(' '),
    ],
    ['must have a form like', ...'unix://run/redis.sock unix:///redis.sock?database=1 redis://a:65536'.split(' ')],
    ['must have a form like', 'redis://local host', 'redis://a:b:c', 'redis://a/shop', 'redis://:50%@a'],
    ['must have a form like', 'redis-cluster://a,,b', 'redis-sentinel://a#shop'],
    ['names several servers', 'redis://a,b'],
    ['must not name a database', 'redis-cluster://a/1'],
  ] as const)
    it(`is rejected with "${problem}": ${urls.join(' ')}`, () => {
      for (const url of urls) expect(() => parseRedisTarget(url), url).to.throw(Error, problem);
    });
});
