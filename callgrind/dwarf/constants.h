/* SPDX-License-Identifier: GPL-2.0-or-later

   The numbers of DWARF, versions 2 to 5, that the tool knows, and GNU's extensions of
   them, which dwz and split debug information use.  */

#ifndef CALLGRIND_DWARF_CONSTANTS_H
#define CALLGRIND_DWARF_CONSTANTS_H

#include "names/entry.h" /* DwarfTag */

typedef enum {
   AtName = 0x03,
   AtStmtList = 0x10,
   AtLowPc = 0x11,
   AtHighPc = 0x12,
   AtCompDir = 0x1b,
   AtContainingType = 0x1d,
   AtAbstractOrigin = 0x31,
   AtArtificial = 0x34,
   AtDeclFile = 0x3a,
   AtDeclLine = 0x3b,
   AtSpecification = 0x47,
   AtType = 0x49,
   AtRanges = 0x55,
   AtLinkageName = 0x6e,
   AtStrOffsetsBase = 0x72,
   AtAddrBase = 0x73,
   AtRnglistsBase = 0x74,
   AtDwoName = 0x76,
   AtMipsLinkageName = 0x2007,
   AtGnuDwoName = 0x2130,
   AtGnuDwoId = 0x2131,
   AtGnuRangesBase = 0x2132,
   AtGnuAddrBase = 0x2133
} DwarfAttribute;

typedef enum {
   FormAddr = 0x01,
   FormBlock2 = 0x03,
   FormBlock4 = 0x04,
   FormData2 = 0x05,
   FormData4 = 0x06,
   FormData8 = 0x07,
   FormString = 0x08,
   FormBlock = 0x09,
   FormBlock1 = 0x0a,
   FormData1 = 0x0b,
   FormFlag = 0x0c,
   FormSdata = 0x0d,
   FormStrp = 0x0e,
   FormUdata = 0x0f,
   FormRefAddr = 0x10,
   FormRef1 = 0x11,
   FormRef2 = 0x12,
   FormRef4 = 0x13,
   FormRef8 = 0x14,
   FormRefUdata = 0x15,
   FormIndirect = 0x16,
   FormSecOffset = 0x17,
   FormExprloc = 0x18,
   FormFlagPresent = 0x19,
   FormStrx = 0x1a,
   FormAddrx = 0x1b,
   FormRefSup4 = 0x1c,
   FormStrpSup = 0x1d,
   FormData16 = 0x1e,
   FormLineStrp = 0x1f,
   FormRefSig8 = 0x20,
   FormImplicitConst = 0x21,
   FormLoclistx = 0x22,
   FormRnglistx = 0x23,
   FormRefSup8 = 0x24,
   FormStrx1 = 0x25,
   FormStrx2 = 0x26,
   FormStrx3 = 0x27,
   FormStrx4 = 0x28,
   FormAddrx1 = 0x29,
   FormAddrx2 = 0x2a,
   FormAddrx3 = 0x2b,
   FormAddrx4 = 0x2c,
   FormGnuAddrIndex = 0x1f01,
   FormGnuStrIndex = 0x1f02,
   FormGnuRefAlt = 0x1f20,
   FormGnuStrpAlt = 0x1f21
} DwarfForm;

/* Kinds of units, and of entries of lists of ranges, from version 5 on.  */
typedef enum {
   UnitType = 0x02,
   UnitSkeleton = 0x04,
   UnitSplitCompile = 0x05,
   UnitSplitType = 0x06
} DwarfUnitKind;

typedef enum {
   RangesEnd = 0,
   RangesBaseIndex = 1,
   RangesStartEndIndex = 2,
   RangesStartIndexLength = 3,
   RangesOffsetPair = 4,
   RangesBaseAddress = 5,
   RangesStartEnd = 6,
   RangesStartLength = 7
} DwarfRangeKind;

/* What a column of a package's index is of, in both of its versions.  */
typedef enum {
   PackageInfo = 1,
   PackageAbbrev = 3,
   PackageStrOffsets = 6,
   PackageRnglists = 8 /* of version 5 */
} DwarfPackageColumn;

/* What a field of a source file's entry holds, from version 5 on.  */
typedef enum { LinePath = 1, LineDirectory = 2 } DwarfLineContent;

/* What the program of a line table consists of, and its extended operations.  */
typedef enum {
   LineExtended = 0,
   LineCopy = 1,
   LineAdvanceAddress = 2,
   LineAdvanceLine = 3,
   LineSetFile = 4,
   LineAddLongest = 8,
   LineAdvanceFixed = 9
} DwarfLineOperation;

typedef enum {
   LineEndSequence = 1,
   LineSetAddress = 2,
   LineDefineFile = 3
} DwarfLineExtended;

#endif
