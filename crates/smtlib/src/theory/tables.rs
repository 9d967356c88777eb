//! The functions of the theories, in the notation of the standard's own theory declarations.
//!
//! `X`, `Y` and `Z` are sorts; other single letters are numbers. `:if` introduces conditions on numbers. `:extension`
//! marks functions that are not in the SMT-LIB standard but occur in benchmarks.

use super::Theory;

/// Each theory (or the theories that must be available together) and its functions.
pub(super) const TABLES: &[(&[Theory], &str)] = &[
    (&[Theory::Core], CORE),
    (&[Theory::Ints], INTS),
    (&[Theory::Reals], REALS),
    (&[Theory::Ints, Theory::Reals], REALS_INTS),
    (&[Theory::Transcendentals], TRANSCENDENTALS),
    (&[Theory::Arrays], ARRAYS),
    (&[Theory::BitVectors], BIT_VECTORS),
    (&[Theory::BitVectors, Theory::Ints], BIT_VECTORS_INTS),
    (&[Theory::Floats], FLOATS),
    (&[Theory::Floats, Theory::Reals], FLOATS_REALS),
    (&[Theory::Strings], STRINGS),
    (&[Theory::Sequences], SEQUENCES),
    (&[Theory::Sets], SETS),
    (&[Theory::Separation], SEPARATION),
];

const CORE: &str = "
(true Bool) (false Bool) (not Bool Bool)
(=> Bool Bool Bool :right-assoc)
(and Bool Bool Bool :left-assoc) (or Bool Bool Bool :left-assoc) (xor Bool Bool Bool :left-assoc)
(= X X Bool :chainable) (distinct X X Bool :pairwise)
(ite Bool X X X)
";

const INTS: &str = "
(- Int Int) (- Int Int Int :left-assoc) (+ Int Int Int :left-assoc) (* Int Int Int :left-assoc)
(div Int Int Int :left-assoc) (mod Int Int Int) (abs Int Int)
(<= Int Int Bool :chainable) (< Int Int Bool :chainable) (>= Int Int Bool :chainable) (> Int Int Bool :chainable)
((_ divisible n) Int Bool :if (> n 0))
(rem Int Int Int :extension) (^ Int Int Int :extension)
(int.pow2 Int Int :extension) (int.log2 Int Int :extension) ((_ iand n) Int Int Int :if (> n 0) :extension)
(div_total Int Int Int :extension) (mod_total Int Int Int :extension)
";

const REALS: &str = "
(- Real Real) (- Real Real Real :left-assoc) (+ Real Real Real :left-assoc) (* Real Real Real :left-assoc)
(/ Real Real Real :left-assoc)
(<= Real Real Bool :chainable) (< Real Real Bool :chainable) (>= Real Real Bool :chainable) (> Real Real Bool :chainable)
(abs Real Real :extension) (^ Real Real Real :extension) (/_total Real Real Real :extension)
";

const REALS_INTS: &str = "
(to_real Int Real) (to_int Real Int) (is_int Real Bool)
(^ Real Int Real :extension)
";

const TRANSCENDENTALS: &str = "
(real.pi Real :extension) (exp Real Real :extension) (sqrt Real Real :extension)
(sin Real Real :extension) (cos Real Real :extension) (tan Real Real :extension)
(csc Real Real :extension) (sec Real Real :extension) (cot Real Real :extension)
(arcsin Real Real :extension) (arccos Real Real :extension) (arctan Real Real :extension)
(arccsc Real Real :extension) (arcsec Real Real :extension) (arccot Real Real :extension)
";

const ARRAYS: &str = "
(select (Array X Y) X Y) (store (Array X Y) X Y (Array X Y))
(const Y (Array X Y) :extension) (eqrange (Array X Y) (Array X Y) X X Bool :extension)
";

const BIT_VECTORS: &str = "
(concat (_ BitVec m) (_ BitVec n) (_ BitVec (+ m n)))
(concat (_ BitVec m) (_ BitVec n) (_ BitVec (+ m n)) :left-assoc :extension)
((_ extract i j) (_ BitVec m) (_ BitVec (+ (- i j) 1)) :if (< i m) (>= i j))
((_ repeat i) (_ BitVec m) (_ BitVec (* i m)) :if (> i 0))
((_ zero_extend i) (_ BitVec m) (_ BitVec (+ m i))) ((_ sign_extend i) (_ BitVec m) (_ BitVec (+ m i)))
((_ rotate_left i) (_ BitVec m) (_ BitVec m)) ((_ rotate_right i) (_ BitVec m) (_ BitVec m))
(bvnot (_ BitVec m) (_ BitVec m)) (bvneg (_ BitVec m) (_ BitVec m))
(bvand (_ BitVec m) (_ BitVec m) (_ BitVec m) :left-assoc) (bvor (_ BitVec m) (_ BitVec m) (_ BitVec m) :left-assoc)
(bvadd (_ BitVec m) (_ BitVec m) (_ BitVec m) :left-assoc) (bvmul (_ BitVec m) (_ BitVec m) (_ BitVec m) :left-assoc)
(bvxor (_ BitVec m) (_ BitVec m) (_ BitVec m) :left-assoc) (bvxnor (_ BitVec m) (_ BitVec m) (_ BitVec m))
(bvxnor (_ BitVec m) (_ BitVec m) (_ BitVec m) :left-assoc :extension)
(bvudiv (_ BitVec m) (_ BitVec m) (_ BitVec m)) (bvurem (_ BitVec m) (_ BitVec m) (_ BitVec m))
(bvshl (_ BitVec m) (_ BitVec m) (_ BitVec m)) (bvlshr (_ BitVec m) (_ BitVec m) (_ BitVec m))
(bvashr (_ BitVec m) (_ BitVec m) (_ BitVec m))
(bvnand (_ BitVec m) (_ BitVec m) (_ BitVec m)) (bvnor (_ BitVec m) (_ BitVec m) (_ BitVec m))
(bvcomp (_ BitVec m) (_ BitVec m) (_ BitVec 1))
(bvsub (_ BitVec m) (_ BitVec m) (_ BitVec m))
(bvsdiv (_ BitVec m) (_ BitVec m) (_ BitVec m)) (bvsrem (_ BitVec m) (_ BitVec m) (_ BitVec m))
(bvsmod (_ BitVec m) (_ BitVec m) (_ BitVec m))
(bvult (_ BitVec m) (_ BitVec m) Bool) (bvule (_ BitVec m) (_ BitVec m) Bool)
(bvugt (_ BitVec m) (_ BitVec m) Bool) (bvuge (_ BitVec m) (_ BitVec m) Bool)
(bvslt (_ BitVec m) (_ BitVec m) Bool) (bvsle (_ BitVec m) (_ BitVec m) Bool)
(bvsgt (_ BitVec m) (_ BitVec m) Bool) (bvsge (_ BitVec m) (_ BitVec m) Bool)
(bvnego (_ BitVec m) Bool)
(bvuaddo (_ BitVec m) (_ BitVec m) Bool) (bvsaddo (_ BitVec m) (_ BitVec m) Bool)
(bvumulo (_ BitVec m) (_ BitVec m) Bool) (bvsmulo (_ BitVec m) (_ BitVec m) Bool)
(bvusubo (_ BitVec m) (_ BitVec m) Bool) (bvssubo (_ BitVec m) (_ BitVec m) Bool)
(bvsdivo (_ BitVec m) (_ BitVec m) Bool)
(bvredor (_ BitVec m) (_ BitVec 1) :extension) (bvredand (_ BitVec m) (_ BitVec 1) :extension)
(bvredxor (_ BitVec m) (_ BitVec 1) :extension)
(bvinc (_ BitVec m) (_ BitVec m) :extension) (bvdec (_ BitVec m) (_ BitVec m) :extension)
(bvrol (_ BitVec m) (_ BitVec m) (_ BitVec m) :extension) (bvror (_ BitVec m) (_ BitVec m) (_ BitVec m) :extension)
(ext_rotate_left (_ BitVec m) (_ BitVec m) (_ BitVec m) :extension)
(ext_rotate_right (_ BitVec m) (_ BitVec m) (_ BitVec m) :extension)
(bvultbv (_ BitVec m) (_ BitVec m) (_ BitVec 1) :extension) (bvsltbv (_ BitVec m) (_ BitVec m) (_ BitVec 1) :extension)
(bvite (_ BitVec 1) (_ BitVec m) (_ BitVec m) (_ BitVec m) :extension)
(bvumul_noovfl (_ BitVec m) (_ BitVec m) Bool :extension) (bvsmul_noovfl (_ BitVec m) (_ BitVec m) Bool :extension)
(bvsmul_noudfl (_ BitVec m) (_ BitVec m) Bool :extension)
";

const BIT_VECTORS_INTS: &str = "
(ubv_to_int (_ BitVec m) Int) (sbv_to_int (_ BitVec m) Int) ((_ int_to_bv m) Int (_ BitVec m) :if (> m 0))
(bv2nat (_ BitVec m) Int :extension) (bv2int (_ BitVec m) Int :extension)
((_ int2bv m) Int (_ BitVec m) :if (> m 0) :extension) ((_ nat2bv m) Int (_ BitVec m) :if (> m 0) :extension)
";

const FLOATS: &str = "
(roundNearestTiesToEven RoundingMode) (RNE RoundingMode) (roundNearestTiesToAway RoundingMode) (RNA RoundingMode)
(roundTowardPositive RoundingMode) (RTP RoundingMode) (roundTowardNegative RoundingMode) (RTN RoundingMode)
(roundTowardZero RoundingMode) (RTZ RoundingMode)
(fp (_ BitVec 1) (_ BitVec e) (_ BitVec i) (_ FloatingPoint e (+ i 1)) :if (> e 1) (> i 0))
((_ +oo e s) (_ FloatingPoint e s) :if (> e 1) (> s 1)) ((_ -oo e s) (_ FloatingPoint e s) :if (> e 1) (> s 1))
((_ +zero e s) (_ FloatingPoint e s) :if (> e 1) (> s 1)) ((_ -zero e s) (_ FloatingPoint e s) :if (> e 1) (> s 1))
((_ NaN e s) (_ FloatingPoint e s) :if (> e 1) (> s 1))
(fp.abs (_ FloatingPoint e s) (_ FloatingPoint e s)) (fp.neg (_ FloatingPoint e s) (_ FloatingPoint e s))
(fp.add RoundingMode (_ FloatingPoint e s) (_ FloatingPoint e s) (_ FloatingPoint e s))
(fp.sub RoundingMode (_ FloatingPoint e s) (_ FloatingPoint e s) (_ FloatingPoint e s))
(fp.mul RoundingMode (_ FloatingPoint e s) (_ FloatingPoint e s) (_ FloatingPoint e s))
(fp.div RoundingMode (_ FloatingPoint e s) (_ FloatingPoint e s) (_ FloatingPoint e s))
(fp.fma RoundingMode (_ FloatingPoint e s) (_ FloatingPoint e s) (_ FloatingPoint e s) (_ FloatingPoint e s))
(fp.sqrt RoundingMode (_ FloatingPoint e s) (_ FloatingPoint e s))
(fp.rem (_ FloatingPoint e s) (_ FloatingPoint e s) (_ FloatingPoint e s))
(fp.roundToIntegral RoundingMode (_ FloatingPoint e s) (_ FloatingPoint e s))
(fp.min (_ FloatingPoint e s) (_ FloatingPoint e s) (_ FloatingPoint e s))
(fp.max (_ FloatingPoint e s) (_ FloatingPoint e s) (_ FloatingPoint e s))
(fp.leq (_ FloatingPoint e s) (_ FloatingPoint e s) Bool :chainable)
(fp.lt (_ FloatingPoint e s) (_ FloatingPoint e s) Bool :chainable)
(fp.geq (_ FloatingPoint e s) (_ FloatingPoint e s) Bool :chainable)
(fp.gt (_ FloatingPoint e s) (_ FloatingPoint e s) Bool :chainable)
(fp.eq (_ FloatingPoint e s) (_ FloatingPoint e s) Bool :chainable)
(fp.isNormal (_ FloatingPoint e s) Bool) (fp.isSubnormal (_ FloatingPoint e s) Bool)
(fp.isZero (_ FloatingPoint e s) Bool) (fp.isInfinite (_ FloatingPoint e s) Bool) (fp.isNaN (_ FloatingPoint e s) Bool)
(fp.isNegative (_ FloatingPoint e s) Bool) (fp.isPositive (_ FloatingPoint e s) Bool)
((_ to_fp e s) (_ BitVec (+ e s)) (_ FloatingPoint e s) :if (> e 1) (> s 1))
((_ to_fp e s) RoundingMode (_ FloatingPoint m n) (_ FloatingPoint e s) :if (> e 1) (> s 1))
((_ to_fp e s) RoundingMode Real (_ FloatingPoint e s) :if (> e 1) (> s 1))
((_ to_fp e s) RoundingMode (_ BitVec m) (_ FloatingPoint e s) :if (> e 1) (> s 1))
((_ to_fp e s) RoundingMode Int (_ FloatingPoint e s) :if (> e 1) (> s 1) :extension)
((_ to_fp_unsigned e s) RoundingMode (_ BitVec m) (_ FloatingPoint e s) :if (> e 1) (> s 1))
((_ fp.to_ubv m) RoundingMode (_ FloatingPoint e s) (_ BitVec m) :if (> m 0))
((_ fp.to_sbv m) RoundingMode (_ FloatingPoint e s) (_ BitVec m) :if (> m 0))
(fp.to_ieee_bv (_ FloatingPoint e s) (_ BitVec (+ e s)) :extension)
(to_ieee_bv (_ FloatingPoint e s) (_ BitVec (+ e s)) :extension)
";

const FLOATS_REALS: &str = "
(fp.to_real (_ FloatingPoint e s) Real)
";

const STRINGS: &str = "
(str.++ String String String :left-assoc) (str.len String Int)
(str.< String String Bool :chainable) (str.<= String String Bool :chainable)
(str.to_re String RegLan) (str.in_re String RegLan Bool)
(re.none RegLan) (re.all RegLan) (re.allchar RegLan)
(re.++ RegLan RegLan RegLan :left-assoc) (re.union RegLan RegLan RegLan :left-assoc)
(re.inter RegLan RegLan RegLan :left-assoc) (re.diff RegLan RegLan RegLan :left-assoc)
(re.* RegLan RegLan) (re.+ RegLan RegLan) (re.opt RegLan RegLan) (re.comp RegLan RegLan)
(re.range String String RegLan) ((_ re.^ n) RegLan RegLan) ((_ re.loop i j) RegLan RegLan)
(str.at String Int String) (str.substr String Int Int String)
(str.prefixof String String Bool) (str.suffixof String String Bool) (str.contains String String Bool)
(str.indexof String String Int Int) (str.replace String String String String)
(str.replace_all String String String String) (str.replace_re String RegLan String String)
(str.replace_re_all String RegLan String String)
(str.is_digit String Bool) (str.to_code String Int) (str.from_code Int String)
(str.to_int String Int) (str.from_int Int String)
(str.to.int String Int :extension) (int.to.str Int String :extension) (str.from-int Int String :extension)
(str.to-int String Int :extension) (str.in.re String RegLan Bool :extension) (str.to.re String RegLan :extension)
(re.nostr RegLan :extension) (re.complement RegLan RegLan :extension)
(re.difference RegLan RegLan RegLan :extension) (re.intersection RegLan RegLan RegLan :left-assoc :extension)
((_ re.loop i) RegLan RegLan :extension) (re.loop RegLan Int RegLan :extension)
(re.loop RegLan Int Int RegLan :extension) (re.^ RegLan Int RegLan :extension)
(str.rev String String :extension) (str.update String Int String String :extension)
(str.to_lower String String :extension) (str.to_upper String String :extension)
(str.tolower String String :extension) (str.toupper String String :extension)
(str.indexof String String Int :extension) (str.indexof_re String RegLan Int Int :extension)
(str.replaceall String String String String :extension)
";

const SEQUENCES: &str = "
(seq.empty (Seq X) :extension) (seq.unit X (Seq X) :extension) (seq.len (Seq X) Int :extension)
(seq.++ (Seq X) (Seq X) (Seq X) :left-assoc :extension) (seq.nth (Seq X) Int X :extension)
(seq.at (Seq X) Int (Seq X) :extension) (seq.extract (Seq X) Int Int (Seq X) :extension)
(seq.update (Seq X) Int (Seq X) (Seq X) :extension) (seq.contains (Seq X) (Seq X) Bool :extension)
(seq.indexof (Seq X) (Seq X) Int Int :extension) (seq.replace (Seq X) (Seq X) (Seq X) (Seq X) :extension)
(seq.replace_all (Seq X) (Seq X) (Seq X) (Seq X) :extension) (seq.rev (Seq X) (Seq X) :extension)
(seq.prefixof (Seq X) (Seq X) Bool :extension) (seq.suffixof (Seq X) (Seq X) Bool :extension)
";

const SETS: &str = "
(set.empty (Set X) :extension) (set.universe (Set X) :extension) (set.singleton X (Set X) :extension)
(set.union (Set X) (Set X) (Set X) :left-assoc :extension) (set.inter (Set X) (Set X) (Set X) :left-assoc :extension)
(set.minus (Set X) (Set X) (Set X) :left-assoc :extension) (set.complement (Set X) (Set X) :extension)
(set.member X (Set X) Bool :extension) (set.subset (Set X) (Set X) Bool :extension) (set.card (Set X) Int :extension)
(set.is_empty (Set X) Bool :extension) (set.is_singleton (Set X) Bool :extension) (set.choose (Set X) X :extension)
";

const SEPARATION: &str = "
(sep Bool Bool Bool :left-assoc) (wand Bool Bool Bool :right-assoc) (pto X Y Bool)
((_ emp X Y) Bool) (emp Bool) (sep.emp Bool :extension) (nil X) (sep.nil X :extension)
";
