/* Vectors of LANES bytes, one for each draw of a block, and the same draws as numbers of 32 bits.
 * Included once for each number of lanes: 16, 32 or 64. */
#if HAVE_VECTORS
/* The same LANES bytes as lanes of 8, 16 or 32 bits. Reading bytes through them is what
 * may_alias permits. */
typedef uint8_t vector8 __attribute__((vector_size(LANES), may_alias));
typedef uint16_t vector16 __attribute__((vector_size(LANES), may_alias));
typedef uint32_t vector32 __attribute__((vector_size(LANES), may_alias));
typedef int32_t signed32 __attribute__((vector_size(LANES), may_alias));

/* Four vectors of LANES/4 numbers. Number i of vector j belongs to lane 4 i + j: byte j of
 * every 32-bit number. */
typedef struct {
    vector32 of[4];
} quads;

static ALWAYS_INLINE quads widen8(vector8 x)
{
    vector32 v = (vector32)x;
    return (quads){{v & 0xff, v >> 8 & 0xff, v >> 16 & 0xff, v >> 24}};
}

/* From the sums of the bytes at even and odd places. */
static ALWAYS_INLINE quads widen16(vector16 even, vector16 odd)
{
    vector32 e = (vector32)even, o = (vector32)odd;
    return (quads){{e & 0xffff, o & 0xffff, e >> 16, o >> 16}};
}

static ALWAYS_INLINE int all_negative(const quads *x)
{
    vector32 all = x->of[0] & x->of[1] & x->of[2] & x->of[3];
    uint64_t halves[LANES / 8], both = UINT64_MAX;
    memcpy(halves, &all, sizeof all);
    for (int i = 0; i < LANES / 8; i++) both &= halves[i];
    return (both & 0x8000000080000000u) == 0x8000000080000000u;
}

static ALWAYS_INLINE int any_negative(const quads *x)
{
    vector32 all = x->of[0] | x->of[1] | x->of[2] | x->of[3];
    uint64_t halves[LANES / 8], either = 0;
    memcpy(halves, &all, sizeof all);
    for (int i = 0; i < LANES / 8; i++) either |= halves[i];
    return (either & 0x8000000080000000u) != 0;
}

static quads in_slots(const int64_t *lanes)
{
    quads x;
    for (int l = 0; l < LANES; l++) x.of[l % 4][l / 4] = (uint32_t)lanes[l];
    return x;
}

static ALWAYS_INLINE int32_t in_slot_of(const quads *x, int lane)
{
    return (int32_t)x->of[lane % 4][lane / 4];
}
#endif
