import { expect } from 'chai';
import { parseRedisTarget, type RedisTarget } from '#src/database/redis/redis-target.js';

const local: Omit<RedisTarget, 'description'> = {
  kind: 'server',
  addresses: [{ host: 'localhost', port: 6379 }],
  path: undefined,
  masterName: undefined,
  isEncrypted: false,
  username: undefined,
  password: undefined,
  database: 0,
};

describe('the address of Redis', () => {
  const good: readonly (readonly [url: string, description: string, target: Partial<RedisTarget>])[] = [
    ['redis://localhost', 'redis://localhost', {}],
    ['redis://localhost:6379/0', 'redis://localhost:6379/0', {}],
    ['redis://localhost/', 'redis://localhost/', {}],
    [
      'rediss://cache.example:7000/12',
      'rediss://cache.example:7000/12',
      { isEncrypted: true, addresses: [{ host: 'cache.example', port: 7000 }], database: 12 },
    ],
    ['redis://[::1]:7000', 'redis://[::1]:7000', { addresses: [{ host: '::1', port: 7000 }] }],
    ['redis://shop:se%40cret@localhost', 'redis://localhost', { username: 'shop', password: 'se@cret' }],
    ['redis://:a:b@localhost', 'redis://localhost', { password: 'a:b' }],
    ['unix:///run/redis.sock', 'unix:///run/redis.sock', { kind: 'socket', addresses: [], path: '/run/redis.sock' }],
    [
      'unix://:hush@/run/my%20redis.sock?db=4',
      'unix:///run/my%20redis.sock?db=4',
      { kind: 'socket', addresses: [], path: '/run/my redis.sock', password: 'hush', database: 4 },
    ],
    [
      'redis-sentinel://:hush@a.example,b.example:7000/2#shop%2F1',
      'redis-sentinel://a.example,b.example:7000/2#shop%2F1',
      {
        kind: 'sentinel',
        addresses: [
          { host: 'a.example', port: 26379 },
          { host: 'b.example', port: 7000 },
        ],
        masterName: 'shop/1',
        password: 'hush',
        database: 2,
      },
    ],
    [
      'rediss-cluster://shop:hush@a.example,[2001:db8::1]:7000',
      'rediss-cluster://a.example,[2001:db8::1]:7000',
      {
        kind: 'cluster',
        isEncrypted: true,
        addresses: [
          { host: 'a.example', port: 6379 },
          { host: '2001:db8::1', port: 7000 },
        ],
        username: 'shop',
        password: 'hush',
      },
    ],
  ];

  for (const [url, description, target] of good) {
    it(`may be ${url}`, () => expect(parseRedisTarget(url)).to.deep.equal({ ...local, description, ...target }));
  }

  const forms = [
    'localhost',
    'localhost:6379',
    'http://localhost',
    'REDIS://localhost',
    'redis:/localhost',
    'valkey://localhost',
  ];
  const parts = ['redis://', 'redis://a@b@c', 'redis://localhost/0?db=1', 'redis://localhost/0/1'];
  const bad: Readonly<Record<string, readonly string[]>> = {
    'must have a form like': [...forms, ...parts, 'unix://run/redis.sock', 'unix:///redis.sock?database=1'],
    'must name hosts': [
      'redis://local host',
      'redis://a:0',
      'redis://a:65536',
      'redis://a:',
      'redis-cluster://a,,b',
      'redis://a:b:c',
    ],
    'names several servers': ['redis://a,b'],
    'name of the master': ['redis-sentinel://a,b', 'redis-sentinel://a,b#', 'redis://a#shop', 'redis-cluster://a#shop'],
    'must not name a database': ['redis-cluster://a/1'],
    'must end in the number of a database': ['redis://a/-1', 'redis://a/shop', 'redis://a/123456', 'unix:///a?db=x'],
    'percent sign': ['redis://:50%@a', 'redis-sentinel://a#50%'],
  };
  for (const [complaint, urls] of Object.entries(bad)) {
    it(`is rejected with "${complaint}"`, () => {
      for (const url of urls) expect(() => parseRedisTarget(url), url).to.throw(Error, complaint);
    });
  }
});
