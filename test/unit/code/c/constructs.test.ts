import { strict as assert } from 'node:assert';
import { Interpreter } from './interpreter';
import { functionNamed, loadParser, lowerText } from './support';

/** Runs `tq` of a file with the arguments; the result as a signed number. */
function run(text: string, ...args: (bigint | number)[]): bigint {
  const module = lowerText(text);
  assert.equal(functionNamed(module, 'tq').unreadable, null);
  return BigInt.asIntN(64, new Interpreter(module).run('tq', ...args));
}

describe('constructs of C', function () {
  this.timeout(60_000);
  before(loadParser);

  it('loops: for, while, do, with break and continue', () => {
    const text = `
int tq(int n)
{
	int i, sum = 0;

	for (i = 0; i < n; i++) {
		if (i == 3)
			continue;
		if (i > 6)
			break;
		sum += i;
	}
	while (i > 0)
		i -= 2;
	do {
		sum += 100;
	} while (++i < 1);
	return sum * 10 - i;
}`;
    // 0+1+2+4+5+6 = 18; i is 7, then 5, 3, 1, -1; the do loop runs with i -1→0→1: twice.
    assert.equal(run(text, 100), 218n * 10n - 1n);
  });

  it('goto, forward and backward, and a chain of else if', () => {
    const text = `
int tq(int n)
{
	int turns = 0;
again:
	turns++;
	if (n > 10) {
		n /= 2;
		goto again;
	} else if (n == 7)
		goto out;
	else if (n == 8)
		return -8;
	else
		n = 1000;
	turns += n;
out:
	return turns;
}`;
    assert.equal(run(text, 7), 1n);
    assert.equal(run(text, 8), -8n);
    assert.equal(run(text, 28), 3n); // 28, 14, 7
    assert.equal(run(text, 36), 1003n); // 36, 18, 9
  });

  it('switch: fall-through, ranges, default in the middle, nested', () => {
    const text = `
enum tq_kind { TQ_A, TQ_B = 5, TQ_C };
int tq(int kind, int sub)
{
	int r = 0;

	switch (kind) {
	case TQ_A:
		r += 1;
		break;
	default:
		r += 1000;
		/* falls through */
	case TQ_B:
		r += 10;
	case TQ_C:
		switch (sub) {
		case 1:
			r += 7;
			break;
		case 10 ... 20:
			r += 8;
		}
		break;
	case 100 ... 0x70:
		return -1;
	}
	return r;
}`;
    assert.equal(run(text, 0, 1), 1n);
    assert.equal(run(text, 5, 1), 17n);
    assert.equal(run(text, 6, 20), 8n);
    assert.equal(run(text, 50, 10), 1018n);
    assert.equal(run(text, 112, 10), -1n);
    assert.equal(run(text, 113, 0), 1010n);
  });

  it('short circuit, conditional, comma and statement expressions', () => {
    const text = `
static int calls;
static int tq_hit(int v)
{
	calls++;
	return v;
}
int tq(int a, int b)
{
	int r;

	calls = 0;
	r = tq_hit(a) && tq_hit(b);
	r += (tq_hit(a) || tq_hit(b)) * 10;
	r += (a ? b : -1) * 100;
	r += (a ?: 7) * 1000;
	r += ({ int t = a; t++; t + b; }) * 10000;
	r = (a++, r + a);
	return !!r * r + calls * 100000;
}`;
    // a=0 b=2: && → 0 (1 call); || → 1 (2 calls); ?: → -1; ?: → 7; ({}) → 1+2 = 3; then r + 1.
    assert.equal(run(text, 0, 2), 0n + 10n - 100n + 7000n + 30000n + 1n + 300000n);
    // a=3 b=2: && → 1 (2 calls); || → 1 (1 call); 2; 3; 4+2; then r + 4.
    assert.equal(run(text, 3, 2), 1n + 10n + 200n + 3000n + 60000n + 4n + 300000n);
  });

  it('increments give the right value before and after', () => {
    const text = `
struct tq_s { int x; };
int tq(struct tq_s *s)
{
	int i = 5, a, b, c;

	s->x = 20;
	a = i++;
	b = --i;
	c = s->x++ + s->x--;
	return a * 1000 + b * 100 + c * 10000 + s->x;
}`;
    assert.equal(run(text, 4096), 5n * 1000n + 5n * 100n + 41n * 10000n + 20n);
  });

  it('structs: members, pointers, copies, nested initialisers, arrays', () => {
    const text = `
struct tq_in { int a; int b[3]; };
struct tq_out { struct tq_in in; struct tq_in *p; unsigned long last; };
int tq(void)
{
	struct tq_in x = { .a = 1, .b = { 2, [2] = 4 } };
	struct tq_out y = { { 5, { 6, 7, 8 } }, &x }, z;
	int sum;

	z = y;
	y.in.b[1] = 70;
	z.p->a += 10;
	*z.p = (struct tq_in){ .a = z.p->a, .b[1] = 3 };
	sum = x.a + x.b[0] * 100 + x.b[1] * 1000 + x.b[2] * 100;
	return sum + z.in.b[1] * 100000 + (int)z.last + (int)(sizeof(x.b) / sizeof(x.b[0]));
}`;
    assert.equal(run(text), 11n + 3000n + 700000n + 3n);
  });

  it('bit-fields keep their width and sign', () => {
    const text = `
struct tq_bits { unsigned int low:3, high:5; int sign:4; u8 plain; };
int tq(int v)
{
	struct tq_bits b = { 0 };

	b.low = v;
	b.high = v;
	b.sign = v;
	b.plain = v;
	return b.low + b.high * 10 + b.sign * 1000 + b.plain * 100000;
}`;
    // 0x1fd = 509: low 5, high 29, sign 0xd = -3, plain 0xfd = 253.
    assert.equal(run(text, 0x1fd), 5n + 290n - 3000n + 25300000n);
  });

  it('pointers: arithmetic, differences, address-of, pointers to pointers', () => {
    const text = `
struct tq_item { long v; struct tq_item *next; };
static void tq_set(int **where, int *to)
{
	*where = to;
}
long tq(void)
{
	int array[6] = { 1, 2, 3, 4, 5, 6 }, *p = array, *q = &array[4], x = 9, *r;
	struct tq_item a = { .v = 100 }, b = { .v = 200, .next = &a }, *it;
	long sum = 0;

	p++;
	p += 2;
	tq_set(&r, &x);
	*r += 1;
	for (it = &b; it; it = it->next)
		sum += it->v;
	return *p * 10000 + (q - p) * 1000 + q[-1] + x + sum * 100000 + *(array + 1) + (&b == b.next);
}`;
    assert.equal(run(text), 4n * 10000n + 1000n + 4n + 10n + 300n * 100000n + 2n);
  });

  it('function pointers, in variables, tables and arguments', () => {
    const text = `
struct tq_ops { int (*op)(int); int (*other)(int); };
static int tq_twice(int x) { return 2 * x; }
static int tq_next(int x) { return x + 1; }
static const struct tq_ops tq_table = { .op = tq_twice, .other = tq_next };
static int tq_apply(int (*f)(int), int x)
{
	return f(x) + (*f)(x);
}
int tq(int x)
{
	int (*f)(int) = &tq_next;
	const struct tq_ops *ops = &tq_table;

	return f(x) + ops->op(x) * 10 + tq_table.other(x) * 100 + tq_apply(tq_twice, x) * 1000;
}`;
    assert.equal(run(text, 3), 4n + 60n + 400n + 12000n);
  });

  it('container_of and lists', () => {
    const text = `
struct list_head { struct list_head *next, *prev; };
struct tq_node { int v; struct list_head link; };
static void tq_add(struct list_head *head, struct list_head *one)
{
	one->next = head->next;
	head->next = one;
}
int tq(void)
{
	struct list_head head = { &head, &head };
	struct tq_node a = { .v = 1 }, b = { .v = 20 }, c = { .v = 300 }, *n;
	int sum = 0;

	tq_add(&head, &a.link);
	tq_add(&head, &b.link);
	tq_add(&head, &c.link);
	list_for_each_entry(n, &head, link) {
		if (n == &b)
			continue;
		sum += n->v;
	}
	return sum + container_of(&b.link, struct tq_node, link)->v * 1000;
}`;
    assert.equal(run(text), 301n + 20000n);
  });

  it('casts, sizeof and constants', () => {
    const text = `
#define TQ_MASK (~0xffUL)
long tq(long v)
{
	u8 byte = v;
	s8 small = (s8)v;
	u16 word = (u16)-1;
	bool yes = v;
	char c = '\\n';

	return byte + small * 1000 + (word == 65535) * 10000000 + yes * 100000000 + c + (v & TQ_MASK) * 1000000000 +
	       sizeof(u32) + sizeof(struct tq_s *) + sizeof(v);
}`;
    const v = 0x1fdn;
    const expected = 0xfdn - 3n * 1000n + 10000000n + 100000000n + 10n + 0x100n * 1000000000n + 4n + 8n + 8n;
    assert.equal(run(text, v), expected);
  });

  it('variables: static ones keep their value, inner ones hide outer ones', () => {
    const text = `
static int tq_count(void)
{
	static int count = 5;

	return ++count;
}
int tq(int x)
{
	int y = x;

	for (int x = 0; x < 3; x++) {
		int y = x * 2;

		tq_count();
		if (y > 100)
			return -1;
	}
	return y * 1000 + tq_count();
}`;
    assert.equal(run(text, 7), 7009n);
  });

  it('wrapper structs are scalars', () => {
    const text = `
typedef struct { unsigned long pteval; } tq_pte_t;
static tq_pte_t tq_make(unsigned long v)
{
	return (tq_pte_t){ v };
}
static inline tq_pte_t tq_or(tq_pte_t pte, unsigned long bits)
{
	pte.pteval |= bits;
	return pte;
}
unsigned long tq(unsigned long v)
{
	tq_pte_t pte = tq_make(v), *p = &pte;

	*p = tq_or(*p, 0x40);
	return p->pteval;
}`;
    assert.equal(run(text, 1), 0x41n);
  });

  it('structs as arguments and results, a label at the end of a block', () => {
    const text = `
struct tq_pair { int a; int b; };
static struct tq_pair tq_make(int a, int b)
{
	struct tq_pair p = { a, b };

	return p;
}
static int tq_sum(struct tq_pair p)
{
	p.a += p.b;
	return p.a;
}
int tq(int x)
{
	struct tq_pair p = tq_make(x, 2), q;
	int sum;

	q = tq_make(100, 200);
	sum = tq_sum(p) + p.a * 1000 + q.b * 10;
	if (x) {
		sum += tq_make(7, 8).b * 100000;
		goto out;
		sum = 0;
out:
	}
	return sum;
}`;
    assert.equal(run(text, 5), 7n + 5000n + 2000n + 800000n);
  });

  it('tables with ranges, texts in arrays', () => {
    const text = `
static const int tq_table[8] = { [0 ... 2] = 5, 6, [6 ... 7] = 9 };
int tq(int x)
{
	char name[] = "tq", *p = name;

	return tq_table[x] * 10 + (p == name);
}`;
    assert.deepEqual(
      [0, 2, 3, 4, 7].map(x => run(text, x)),
      [51n, 51n, 61n, 1n, 91n],
    );
  });

  it('macros: recursive, variadic, stringised, pasted; GNU typeof; min and max evaluate once', () => {
    const text = `
#define TQ_CAT(a, b) a##b
#define TQ_XCAT(a, b) TQ_CAT(a, b)
#define TQ_NAME tq_
#define TQ_SUM(first, rest...) tq_sum(first, ##rest)
#define TQ_SWAP(a, b) do { typeof(a) t_ = (a); (a) = (b); (b) = t_; } while (0)
#define x (x + 1)
static int tq_sum(int a, int b) { return a + b; }
static int tq_one(int a) { return a; }
int tq(int a)
{
	int b = TQ_XCAT(TQ_NAME, one)(4), n = 0;
	long c = 5;

	TQ_SWAP(a, b);
	swap(a, b);
	TQ_SWAP(a, b);
	return TQ_SUM(a, b) * 100 + min(++n, 5) + max_t(int, c, 3) * 10 + clamp(c, 1L, 3L) * 1000;
}`;
    assert.equal(run(text, 3), 700n + 1n + 50n + 3000n);
  });
});
